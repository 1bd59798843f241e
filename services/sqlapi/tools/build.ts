/** Makes what is published of sqlapi. Run by `npm pack`. */
import { join } from 'node:path'
import { buildService } from '../../../tools/build/package.ts'

const service = join(import.meta.dirname, '..')
await buildService(service, join(service, 'dist'))
