/** Method and path -> page, endpoint or error. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../src/errors.ts'
import type { Endpoint } from '../src/model.ts'
import { route, toRoutes } from '../src/serve/route.ts'

function endpoint(group: string, service: string, method: string): Endpoint {
  const target = { xroadInstance: '', memberClass: '', memberCode: '', subsystemCode: '', serviceCode: '', path: '' }
  return {
    kind: 'rest',
    group,
    service,
    method,
    file: '',
    client: undefined,
    target,
    allowedQueryParams: undefined,
    forwardBody: true,
  }
}

const routes = toRoutes([
  endpoint('g', 's', 'GET'),
  endpoint('g', 'post', 'POST'),
  endpoint('rühm', 'teenus õ', 'GET'),
  endpoint('a.b', 'c.v1', 'GET'),
  endpoint('docs', 'docs.js', 'GET'),
])

function outcome(method: string, target: string): string {
  try {
    const match = route(routes, method, target)
    if ('page' in match) return match.page
    return 'docs' in match ? match.docs : `${match.endpoint.group}/${match.endpoint.service}`
  } catch (error) {
    const { code, headers } = error as Failure
    return headers === undefined ? code : `${code} ${headers['allow']}`
  }
}

const cases: [title: string, method: string, target: string, expected: string][] = [
  ['an endpoint [S-endpoint.rest]', 'GET', '/g/s', 'g/s'],
  ['an endpoint with a query', 'GET', '/g/s?x=/y', 'g/s'],
  ['dots in names', 'GET', '/a.b/c.v1', 'a.b/c.v1'],
  ['the method of the file counts [S-route.1 D1.6]', 'POST', '/g/s', 'method_not_allowed GET'],
  ['HEAD is a method of its own [D1.6]', 'HEAD', '/g/s', 'method_not_allowed GET'],
  ['OPTIONS as well [D1.6]', 'OPTIONS', '/g/post', 'method_not_allowed POST'],
  ['unknown service [S-route.2]', 'GET', '/g/nothing', 'template_not_found'],
  ['one segment [D1.6]', 'GET', '/g', 'template_not_found'],
  ['three segments [D1.6]', 'GET', '/g/s/t', 'template_not_found'],
  ['a slash at the end [D1.6]', 'GET', '/g/s/', 'template_not_found'],
  ['a double slash [D1.6]', 'GET', '//g/s', 'template_not_found'],
  ['the root', 'GET', '/', 'template_not_found'],
  ['no path at all', 'OPTIONS', '*', 'template_not_found'],
  ['casing counts', 'GET', '/G/s', 'template_not_found'],
  ['an unknown path comes before a wrong method [D1.6]', 'DELETE', '/x/y', 'template_not_found'],
  ['an encoded slash does not part segments [D1.6]', 'GET', '/g%2Fs', 'template_not_found'],
  ['nor join them [D1.6]', 'GET', '/g%2fs/x', 'template_not_found'],
  ['an encoded letter', 'GET', '/%67/s', 'g/s'],
  ['percent signs that encode nothing', 'GET', '/%zz/s', 'template_not_found'],
  ['names beyond ASCII, encoded', 'GET', '/r%C3%BChm/teenus%20%C3%B5', 'rühm/teenus õ'],
  ['the absolute form', 'GET', 'http://h:1/g/s?x', 'g/s'],
  ['health [S-endpoint.health]', 'GET', '/health', 'health'],
  ['HEAD of health [D1.6]', 'HEAD', '/health?x=1', 'health'],
  ['api [S-endpoint.api]', 'GET', '/api', 'api'],
  ['a wrong method of health [D1.6]', 'POST', '/health', 'method_not_allowed GET, HEAD'],
  ['a wrong method of api [D1.6]', 'DELETE', '/api', 'method_not_allowed GET, HEAD'],
  ['the page of the viewer [S-docs.page]', 'GET', '/docs?x=1#y', '/docs'],
  ['what it loads [S-docs.page]', 'HEAD', '/docs.js', '/docs.js'],
  ['a wrong method of the page [S-docs.page]', 'POST', '/docs', 'method_not_allowed GET, HEAD'],
  ['a group of the same name [S-docs.page]', 'GET', '/docs/docs.js', 'docs/docs.js'],
  ['nothing else below the page [S-docs.page]', 'GET', '/docs/docs.css', 'template_not_found'],
  ['names of prototype members', 'GET', '/__proto__/constructor', 'template_not_found'],
  ['the path of a member', 'GET', '/constructor', 'template_not_found'],
]

for (const [title, method, target, expected] of cases) {
  test(title, () => strictEqual(outcome(method, target), expected))
}

test('the message names both methods [S-error.method_not_allowed]', () => {
  try {
    route(routes, 'PUT', '/g/s')
    throw new Error('nothing was thrown')
  } catch (error) {
    const { message, headers } = error as Failure
    deepStrictEqual([message, headers], ['this path answers GET, not PUT', { allow: 'GET' }])
  }
})
