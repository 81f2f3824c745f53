/** `npm run build`: out/ from the sources, whatever was there before. */
import { build } from './lib/build.ts'

build('inherit')
