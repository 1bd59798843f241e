/** Method and path -> page, endpoint or error. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../src/errors.ts'
import type { Endpoint } from '../src/model.ts'
import { route, toRoutes } from '../src/serve/route.ts'

function endpoint(group: string, service: string, method: string): Endpoint {
  const target = { memberClass: '', memberCode: '', subsystemCode: '', serviceCode: '', path: '' }
  return { kind: 'rest', group, service, method, file: '', target, allowedQueryParams: undefined, forwardBody: true }
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
  ['[S-endpoint.rest] an endpoint', 'GET', '/g/s', 'g/s'],
  ['an endpoint with a query', 'GET', '/g/s?x=/y', 'g/s'],
  ['dots in names', 'GET', '/a.b/c.v1', 'a.b/c.v1'],
  ['[S-route.1] [D1.6] the method of the file counts', 'POST', '/g/s', 'method_not_allowed GET'],
  ['[D1.6] HEAD is a method of its own', 'HEAD', '/g/s', 'method_not_allowed GET'],
  ['[D1.6] OPTIONS as well', 'OPTIONS', '/g/post', 'method_not_allowed POST'],
  ['[S-route.2] unknown service', 'GET', '/g/nothing', 'template_not_found'],
  ['[D1.6] one segment', 'GET', '/g', 'template_not_found'],
  ['[D1.6] three segments', 'GET', '/g/s/t', 'template_not_found'],
  ['[D1.6] a slash at the end', 'GET', '/g/s/', 'template_not_found'],
  ['[D1.6] a double slash', 'GET', '//g/s', 'template_not_found'],
  ['the root', 'GET', '/', 'template_not_found'],
  ['no path at all', 'OPTIONS', '*', 'template_not_found'],
  ['casing counts', 'GET', '/G/s', 'template_not_found'],
  ['[D1.6] an unknown path comes before a wrong method', 'DELETE', '/x/y', 'template_not_found'],
  ['[D1.6] an encoded slash does not part segments', 'GET', '/g%2Fs', 'template_not_found'],
  ['[D1.6] nor join them', 'GET', '/g%2fs/x', 'template_not_found'],
  ['an encoded letter', 'GET', '/%67/s', 'g/s'],
  ['percent signs that encode nothing', 'GET', '/%zz/s', 'template_not_found'],
  ['names beyond ASCII, encoded', 'GET', '/r%C3%BChm/teenus%20%C3%B5', 'rühm/teenus õ'],
  ['the absolute form', 'GET', 'http://h:1/g/s?x', 'g/s'],
  ['[S-endpoint.health] health', 'GET', '/health', 'health'],
  ['[D1.6] HEAD of health', 'HEAD', '/health?x=1', 'health'],
  ['[S-endpoint.api] api', 'GET', '/api', 'api'],
  ['[D1.6] a wrong method of health', 'POST', '/health', 'method_not_allowed GET, HEAD'],
  ['[D1.6] a wrong method of api', 'DELETE', '/api', 'method_not_allowed GET, HEAD'],
  ['[S-docs.page] the page of the viewer', 'GET', '/docs?x=1#y', 'docs'],
  ['[S-docs.page] what it loads', 'HEAD', '/docs.js', 'docs.js'],
  ['[S-docs.page] a wrong method of the page', 'POST', '/docs', 'method_not_allowed GET, HEAD'],
  ['[S-docs.page] a group of the same name', 'GET', '/docs/docs.js', 'docs/docs.js'],
  ['[S-docs.page] nothing else below the page', 'GET', '/docs/docs.css', 'template_not_found'],
  ['names of prototype members', 'GET', '/__proto__/constructor', 'template_not_found'],
  ['the path of a member', 'GET', '/constructor', 'template_not_found'],
]

for (const [title, method, target, expected] of cases) {
  test(title, () => strictEqual(outcome(method, target), expected))
}

test('[S-error.method_not_allowed] the message names both methods', () => {
  try {
    route(routes, 'PUT', '/g/s')
    throw new Error('nothing was thrown')
  } catch (error) {
    const { message, headers } = error as Failure
    deepStrictEqual([message, headers], ['this path answers GET, not PUT', { allow: 'GET' }])
  }
})
