/**
 * Makes what is published of xroad-proxy, with the files of the viewer that `/docs` serves and their licences. Those are
 * copied, because the library depends on a package that reports its installs to a foreign host: the users of this one get
 * none of it. Run by `npm pack`.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildService } from '../../../tools/build.ts'

const viewer = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'LICENSE', 'NOTICE']

const service = join(import.meta.dirname, '..')
const dist = join(service, 'dist')
buildService(service, dist)
mkdirSync(join(dist, 'viewer'))
for (const file of viewer) {
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)), join(dist, 'viewer', file))
}
