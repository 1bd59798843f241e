/** Mistakes of callers that change nothing in the answer, and are in the log. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lanes, type LogLine, startLanes } from '../../support/lanes.ts'
import { soapFile, type SoapService, startSoapService } from '../../support/soap-service.ts'

let service: SoapService
let lanes: Lanes
before(async () => {
  service = await startSoapService()
  const names = ['form', 'quotes', 'comma', 'xml', 'list', 'again', 'misspelt', 'empty', 'fine', 'query']
  const dsl: Record<string, string> = Object.fromEntries(
    names.map((name) => [`rr/${name}.yml`, service.echo.replace('"x"', '"personCode"')]),
  )
  const two = JSON.stringify({ ...(JSON.parse(service.echo) as object), params: ['x', 'personalCode'] })
  for (const name of ['beside', 'unlike', 'both', 'large']) dsl[`rr/${name}.yml`] = two
  lanes = await startLanes({ dsl: { ...dsl, 'rr/RR41.yml': soapFile('https://x.example/'), 'rest/one.yml': rest } })
})
after(async () => {
  await lanes.close()
  await service.close()
})

const rest = `kind: rest
method: GET
target: {member_class: A, member_code: B, subsystem_code: C, service_code: D, path: '/{id}'}
`

async function told(name: string, body: string): Promise<readonly LogLine[]> {
  for (let i = 0; i < 2; i++) {
    const { status } = await lanes.call(`/rr/${name}`, { method: 'POST', body })
    strictEqual(status, 200)
  }
  return lanes.log.filter((line) => line['event'] === 'requestInvalid' && line['endpoint'] === `rr/${name}`)
}

const bodies: Readonly<Record<string, readonly [body: string, problem: RegExp]>> = {
  form: ['personCode=1', /the body: found a form \(name=value\), expected a JSON object; its names and texts have double quotes, .*; it counts as \{\}, .* validate_requests: refuse/],
  xml: ['<a/>', /the body: found XML, expected a JSON object/],
  quotes: ["{'personCode': '1'}", /the body: found no JSON from line 1 column 2 on, expected .*double quotes/],
  comma: ['{"personCode": "1",}', /the body: found no JSON from line 1 column 20 on, expected .*no comma follows the last/],
  list: ['["1"]', /the body: found a list, expected a JSON object/],
  misspelt: ['{"personcode": "38001085718"}', /none of its 1 keys is a param \(personCode\), .* did you mean personCode\?$/],
} // prettier-ignore
for (const [name, [body, problem]] of Object.entries(bodies)) {
  test(`a body that brings no param is one WARN in ten minutes: ${name} [G9]`, async () => {
    const lines = await told(name, body)
    strictEqual(lines.length, 1)
    match(String(lines[0]?.['problems']), problem)
    strictEqual(JSON.stringify(lines).includes('38001085718'), false)
  })
}

test('a misspelt key is a WARN also after a body that is not JSON [G9]', async () => {
  await lanes.call('/rr/again', { method: 'POST', body: 'personCode=1' })
  const problems = (await told('again', '{"personcode": "1"}')).map((line) => String(line['problems']).slice(0, 30))
  deepStrictEqual(problems, ['the body: found a form (name=v', 'the body: none of its 1 keys i'])
})

test('a query string without a body is one WARN, which says where the values go [G9]', async () => {
  for (let i = 0; i < 2; i++) {
    strictEqual((await lanes.call('/rr/query?personCode=38001085718', { method: 'POST' })).status, 200)
  }
  const lines = lanes.log.filter((line) => line['event'] === 'requestInvalid' && line['endpoint'] === 'rr/query')
  strictEqual(lines.length, 1)
  match(String(lines[0]?.['problems']), /^the body: found nothing, and the query string has no effect; .* JSON object/)
  strictEqual(JSON.stringify(lines).includes('38001085718'), false)
})

test('no body, an empty object and one with a param are no mistake [G9]', async () => {
  for (const body of ['', '{}']) deepStrictEqual(await told('empty', body), [])
  deepStrictEqual(await told('fine', '{"personCode": "1", "other": 2}'), [])
})

test('a key that is nearly a param, beside right ones, is one WARN in ten minutes [G9]', async () => {
  const lines = await told('beside', '{"x": "49001010000", "personalcode": "38001085718", "fine": 1}')
  deepStrictEqual(
    lines.map(({ level, problems, count }) => [level, problems, count]),
    [['warn', 'personalcode: no param of this endpoint, so it is dropped; did you mean personalCode?', '1']],
  )
  match(JSON.stringify(lines), /^(?!.*(?:38001085718|49001010000))/)
})

test('keys that are like no param, or like one that came as well, are no mistake [G9]', async () => {
  deepStrictEqual(await told('unlike', '{"x": "1", "code": 2, "personal": 3, "__proto__": 4, "": 5}'), [])
  deepStrictEqual(await told('both', '{"x": "1", "personalCode": 2, "personalcode": 3}'), [])
  deepStrictEqual(await told('large', JSON.stringify({ x: 'y'.repeat(70_000), personalcode: 3 })), [])
})

test('a path that nothing has names the nearest one [G9]', async () => {
  const message = async (path: string): Promise<string> => (await lanes.call(path, { method: 'POST', body: '{}' })).text
  match(await message('/rr/rr41'), /no endpoint at this path; did you mean \/rr\/RR41\? \/api lists all/)
  match(await message('/rt/RR41'), /did you mean \/rr\/RR41\?/)
  match(await message('/RR41'), /did you mean \/rr\/RR41\?/)
  match(await message('/RR4'), /did you mean \/rr\/RR41\?/)
  match(await message('/api/rr/RR41'), /did you mean \/rr\/RR41\?/)
  match(await message('/rr/RR41/1'), /did you mean \/rr\/RR41\?/)
  match(await message('/rr/'), /did you mean \/rr\/\w+\?/)
  match(await message('/rest/one'), /did you mean \/rest\/one\/\{id\}\?/)
  match(await message('/other/path'), /no endpoint at this path; \/api lists those that are there/)
  match(await message(`/rr/${'x'.repeat(9000)}`), /\/api lists those that are there/)
})

test('the log says which limit refused a body, and an answer does not [G9]', async () => {
  const { status, text } = await lanes.call('/rr/fine', { method: 'POST', body: 'x'.repeat(1_048_577) })
  deepStrictEqual([status, text.includes('limits.')], [413, false])
  const values = await lanes.call('/rr/fine', { method: 'POST', body: `{"personCode":[${'0,'.repeat(100_000)}0]}` })
  strictEqual(values.status, 413)
  const reasons = lanes.log.filter(({ error }) => error === 'request_too_large').map(({ reason }) => String(reason))
  deepStrictEqual(reasons.length, 2)
  strictEqual(reasons[0], 'the request body is larger than 1048576 bytes; limits.max_request_bytes raises it')
  match(reasons[1] ?? '', /^the request has more than 100000 values \(max_request_values\), which the param personCode/)
})

test('an instance that nobody has set is an INFO, and one that is set is not [G9]', async () => {
  const notices = async (config: object): Promise<unknown[]> => {
    const started = await startLanes({ dsl: {}, config: { ...config } })
    await started.close()
    return started.log
      .filter(({ event }) => event === 'notice')
      .map(({ level, message }) => `${String(level)} ${String(message)}`)
  }
  const [notice, ...others] = await notices({ xroad_instance: null })
  match(String(notice), /^INFO xroad_instance is not set, so calls go to the instance ee-test; set it to/i)
  deepStrictEqual(others, [])
  deepStrictEqual(await notices({ xroad_instance: 'EE' }), [])
  deepStrictEqual(await notices({ xroad_instance: null, security_server: null }), [])
})
