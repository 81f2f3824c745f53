/** `npm run build`: builds out/ from the sources, replacing what was there. */
import { build } from './lib/build.ts'

build('inherit')
