/**
 * Puts the files of the viewer that `/docs` serves into `dist/viewer`, with their licences, when the package is made. Copied,
 * because the library depends on a package that reports its installs to a foreign host: the users of this one get none of it.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const files = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'LICENSE', 'NOTICE']
const target = new URL('../dist/viewer/', import.meta.url)

mkdirSync(target, { recursive: true })
for (const file of files) {
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)), new URL(file, target))
}
