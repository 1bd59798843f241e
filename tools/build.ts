/**
 * A service's sources -> its `dist`, plain JavaScript that needs nothing of this repository: the modules in the same
 * folders as in `src`, those of the private packages that it imports below `dist/packages`. One file stays one file, so
 * that stacks name real files, what is imported late is loaded late, and files that are found beside a module are
 * found.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'

const repository = join(import.meta.dirname, '..')
const compiler = join(repository, 'node_modules/typescript/bin/tsc')

/** `service` is the service's folder. Without `check` types are taken as right. */
export function buildService(service: string, dist: string, { check = true } = {}): void {
  const scratch = mkdtempSync(join(tmpdir(), 'build-'))
  try {
    const options = ['-p', join(service, 'tsconfig.build.json'), '--outDir', scratch, ...(check ? [] : ['--noCheck'])]
    // By one thread: several check much of the same types again, which takes twice the CPU time and is no quicker.
    execFileSync(process.execPath, [compiler, ...options, '--singleThreaded'], { stdio: 'inherit' })
    rmSync(dist, { recursive: true, force: true })
    cpSync(join(scratch, 'services', basename(service), 'src'), dist, { recursive: true })
    for (const name of namesIn(join(scratch, 'packages'))) {
      const target = join(dist, 'packages', name)
      cpSync(join(scratch, 'packages', name, 'src'), target, { recursive: true })
      // What is JavaScript already, and what belongs to a page, the compiler leaves where it is.
      const sources = join(repository, 'packages', name, 'src')
      for (const file of globSync('**/*.{js,html,css,svg}', { cwd: sources })) {
        cpSync(join(sources, file), join(target, file))
      }
    }
    for (const file of globSync('**/*.js', { cwd: dist })) pointToCopies(join(dist, file), dist)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/**
 * The compiler leaves `import .. from '@services/name'` or `'@services/name/entry'` as it is, and no registry has such
 * a package.
 */
function pointToCopies(file: string, dist: string): void {
  const text = readFileSync(file, 'utf8')
  const pointed = text.replaceAll(packageImport, (_, before: string, name: string, entryPoint = 'index') => {
    const entry = relative(dirname(file), join(dist, 'packages', name, `${entryPoint}.js`))
      .split(sep)
      .join('/')
    return `${before}'${entry.startsWith('.') ? entry : `./${entry}`}'`
  })
  if (/['"`]@services\//.test(pointed)) throw new Error(`${file} has an import of a package that is not understood`)
  if (pointed !== text) writeFileSync(file, pointed)
}

const packageImport = /\b((?:from|import)\s*\(?\s*)['"]@services\/([\w-]+)(?:\/([\w-]+))?['"]/g
