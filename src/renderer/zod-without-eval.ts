/**
 * zod would compile schemas with `new Function`, which the page's Content-Security-Policy forbids. This must run before
 * any schema of the contract is made, so main.tsx imports it first.
 */
import { z } from 'zod'

z.config({ jitless: true })
