/** Older versions out of this repository's own history. Skipped where there is none: an archive, a shallow clone. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { exportRelease } from '@services/bench'
import { findLastRelease, toRevision } from '../../src/against/release.ts'
import { UsageError } from '../../src/command/usage-error.ts'

const root = join(import.meta.dirname, '../../../..')
/** The last commit without private packages. */
const withoutPackages = 'b67fce3'
const services = ['sqlapi', 'xroad-proxy']

const isThere = (commit: string): boolean =>
  spawnSync('git', ['-C', root, 'cat-file', '-e', `${commit}^{commit}`]).status === 0
const skipWithout = (commit: string) => ({ skip: isThere(commit) ? false : `this clone has no commit ${commit}` })

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

for (const name of services) {
  test(`${name} of now comes with its private packages and starts`, skipWithout('HEAD'), (t) => {
    const { service, title, remarks } = exportRelease('HEAD', `services/${name}`, makeFolder(t))
    const shell = realpathSync(join(service, '../../node_modules/@services/http-shell'))
    strictEqual(shell, realpathSync(join(service, '../../packages/http-shell')))
    strictEqual(run(service, name), readVersion(service))
    match(title, new RegExp(`^${readVersion(service)} \\([0-9a-f]+\\)$`))
    deepStrictEqual(remarks, [])
  })

  test(`${name} from before there were packages starts too`, skipWithout(withoutPackages), (t) => {
    const manifest = ['show', `${withoutPackages}:services/${name}/package.json`]
    const { dependencies } = JSON.parse(
      execFileSync('git', ['-C', root, ...manifest], { encoding: 'utf8' }),
    ) as Manifest
    if (!isDeepStrictEqual(dependencies, readManifest(join(root, 'services', name)).dependencies)) {
      t.skip('it names other libraries, which would have to be fetched')
      return
    }
    const { service, title } = exportRelease(withoutPackages, `services/${name}`, makeFolder(t))
    ok(!existsSync(join(service, '../../packages')))
    deepStrictEqual(readdirSync(join(service, '../../node_modules/@services')), [])
    strictEqual(run(service, name), readVersion(service))
    // Git shortens to as many digits as the repository needs, which are more the more objects it has.
    ok(title.includes(`(${withoutPackages}`), title)
  })

  test(`the last release of ${name} is the last commit that changed its version`, skipWithout('HEAD~1'), () => {
    const args = ['log', '--format=%H', '--reverse', '--', `services/${name}/package.json`]
    const commits = execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const versions = commits.map((commit) => {
      const manifest = ['show', `${commit}:services/${name}/package.json`]
      return JSON.parse(execFileSync('git', ['-C', root, ...manifest], { encoding: 'utf8' })) as Manifest
    })
    const changed = commits.findLast((_, index) => versions[index]?.version !== versions[index - 1]?.version)
    const isOnly = commits.every((_, index) => versions[index]?.version === versions[0]?.version)
    const { commit, remarks } = findLastRelease(`services/${name}`)
    strictEqual(commit, changed)
    strictEqual(remarks.length, isOnly ? 1 : 0)
  })
}

test('what is not a commit is a mistake of the caller', (t) => {
  const folder = makeFolder(t)
  for (const which of ['no-such-commit', '--help']) {
    throws(() => exportRelease(which, 'services/sqlapi', folder), UsageError)
  }
})

function run(service: string, name: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(service, `bin/${name}.js`), '--version'], {
    encoding: 'utf8',
  })
  return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stderr
}

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

function readManifest(service: string): Manifest {
  return JSON.parse(readFileSync(join(service, 'package.json'), 'utf8')) as Manifest
}

function readVersion(service: string): string {
  return readManifest(service).version
}

test(
  'the baseline is the commit that its file names, and in the history [B8]',
  skipWithout(toRevision('baseline')),
  () => {
    const commit = execFileSync('git', ['-C', root, 'rev-parse', '--verify', `${toRevision('baseline')}^{commit}`])
    strictEqual(commit.toString().trim(), readFileSync(join(root, 'tools/compare/baseline.txt'), 'utf8').trim())
    strictEqual(toRevision('HEAD'), 'HEAD')
  },
)
