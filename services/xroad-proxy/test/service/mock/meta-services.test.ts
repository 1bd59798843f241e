/**
 * The shipped pair of meta services, and the SOAP endpoint of the example, asked for real: the example's tree and
 * answers, the mock Security Server, mutual TLS.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Files } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'

const example = join(import.meta.dirname, '../../../../../examples/xroad-proxy')

function filesBelow(folder: string): Files {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path)]))
}

interface Service {
  readonly 'id:xRoadInstance': string
  readonly 'id:memberClass': string
  readonly 'id:memberCode': string | number
  readonly 'id:subsystemCode': string
  readonly 'id:serviceCode': string
}

interface Reply {
  readonly body: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly headers: Readonly<Record<string, unknown>>
}

const target = { member_class: 'GOV', member_code: '70000001', subsystem_code: 'population' }
/** With the example's answers, and without, so that the mock lists what it has. */
let withAnswers: Lanes
let bare: Lanes

before(async () => {
  const dsl = filesBelow(join(example, 'DSL'))
  withAnswers = await startLanes({ dsl, answers: filesBelow(join(example, 'answers')) })
  bare = await startLanes({ dsl, answers: { 'alpha.xml': '<a/>', 'beta.xml': '<b/>' } })
})

after(() => Promise.all([withAnswers.close(), bare.close()]))

async function ask(lanes: Lanes, path: string, body: unknown): Promise<Reply> {
  const { status, text } = await lanes.call(path, { body })
  strictEqual(status, 200, text)
  return JSON.parse(text) as Reply
}

/** The X-Road header of an answer is that of its request, verbatim. */
function headerOf({ headers }: Reply): Record<string, unknown> {
  const { 'xroad:requestHash': hash, 'xroad:id': id, ...rest } = headers
  match(String(id), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/)
  ok(hash !== undefined)
  return rest
}

function identity(code: string, subsystem: string): object {
  return {
    'id:xRoadInstance': 'ee-test',
    'id:memberClass': 'GOV',
    'id:memberCode': Number(code),
    'id:subsystemCode': subsystem,
  }
}

for (const name of ['listMethods', 'allowedMethods']) {
  describe(name, () => {
    test(`${name} names client, target and itself in the header [S-route.4]`, async () => {
      deepStrictEqual(headerOf(await ask(bare, `/xroad/${name}`, target)), {
        'xroad:client': { '@id:objectType': 'SUBSYSTEM', ...identity('70000000', 'demo') },
        'xroad:service': {
          '@id:objectType': 'SERVICE',
          ...identity('70000001', 'population'),
          'id:serviceCode': name,
        },
        'xroad:protocolVersion': '4.0',
      })
    })

    test(`${name} lists services [S-route.4]`, async () => {
      const { body } = await ask(bare, `/xroad/${name}`, target)
      const [element, response] = Object.entries(body)[0]!
      match(element, new RegExp(`^\\w+:${name}Response$`))
      const services = Object.entries(response).find(([key]) => key.endsWith(':service'))?.[1] as Service[]
      deepStrictEqual(
        services.map((service) => [service['id:subsystemCode'], service['id:serviceCode']]),
        [
          ['population', 'alpha'],
          ['population', 'beta'],
        ],
      )
    })

    test(`${name} of the example: an element for each service of the provider [S-route.4]`, async () => {
      const { body } = await ask(withAnswers, `/xroad/${name}`, target)
      const services = body[`xroad:${name}Response`]?.['xroad:service'] as Service[]
      const expected = name === 'listMethods' ? ['person', 'address', 'household'] : ['person', 'address']
      deepStrictEqual(
        services.map((service) => service['id:serviceCode']),
        expected,
      )
    })

    test(`${name} takes its three keys and no other, and escapes them [S-route.4 D2.1]`, async () => {
      const body = { ...target, member_code: '<&>"\'', service_code: 'other', generate: { instance: 'other' } }
      const { 'xroad:service': service } = headerOf(await ask(bare, `/xroad/${name}`, body)) as Record<string, Service>
      deepStrictEqual(
        [service?.['id:memberCode'], service?.['id:serviceCode'], service?.['id:xRoadInstance']],
        ['<&>"\'', name, 'ee-test'],
      )
    })

    test(`${name} without a body asks with empty names [S-route.4 S-request.2]`, async () => {
      const { 'xroad:service': service } = headerOf(await ask(bare, `/xroad/${name}`, '')) as Record<string, Service>
      deepStrictEqual([service?.['id:memberClass'], service?.['id:subsystemCode']], [null, null])
    })

    test(`${name} is for POST [S-route.4]`, async () => {
      const { status, headers } = await bare.call(`/xroad/${name}`)
      deepStrictEqual([status, headers['allow']], [405, 'POST'])
    })
  })
}

test('the SOAP endpoint of the example [S-what.2 S-endpoint.soap]', async () => {
  const { body } = await ask(withAnswers, '/population/person', { personalCode: '60001019906', givenName: 'Mari' })
  deepStrictEqual(body, {
    'pop:personResponse': {
      'pop:personalCode': 60001019906,
      'pop:name': { '@given': 'Mari-Liis', '@family': 'Männik' },
      'pop:registered': true,
      'pop:postalCode': '01234',
      'pop:citizenship': ['EST', 'FIN'],
      'pop:address': { '@since': '2019-04-01', '#text': 'Harju maakond, Tallinn, Pikk 3' },
      'pop:deathDate': null,
    },
  })
})

test('its request reaches the mock with the values in place [S-what.2 D2.1]', async () => {
  const { body } = await ask(bare, '/population/person', { personalCode: 60001019906, givenName: `"M&M's"` })
  deepStrictEqual(body, {
    'pop:personResponse': { 'pop:personalCode': 60001019906, 'pop:name': { '@given': `"M&M's"` } },
  })
})
