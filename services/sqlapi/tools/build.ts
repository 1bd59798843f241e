/** Makes what is published of sqlapi, with the time at which that was done. Run by `npm pack`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildService } from '../../../tools/build.ts'

const service = join(import.meta.dirname, '..')
buildService(service, join(service, 'dist'))
writeFileSync(join(service, 'dist/build.json'), JSON.stringify({ packagingTime: Date.now() }))
