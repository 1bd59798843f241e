/** Targets, endpoints and datasources: pure look-ups. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { endpointKey } from '../../../src/endpoint-key.ts'
import type { Endpoint, Method } from '../../../src/model.ts'
import {
  answersInstead,
  createDatasourceChooser,
  findEndpoint,
  missingEndpoint,
  readTarget,
} from '../../../src/serve/route.ts'
import { createPages } from '../../../src/serve/status.ts'

const noScript = { statements: [], parameters: [] }

function endpoint(method: Method, path: string): [string, Endpoint] {
  const [, project = ''] = path.split('/')
  const scripts = { postgres: noScript, sqlite: noScript }
  return [
    endpointKey(method, path),
    { method, project, path, file: `${path}.sql`, transactional: false, declarations: undefined, scripts },
  ]
}

const endpoints = new Map([
  endpoint('GET', '/crm/orders/list'),
  endpoint('POST', '/crm/Orders/Create'),
  endpoint('POST', '/crm/batch'),
  endpoint('POST', '/crm/tool/batch'),
  endpoint('POST', '/Jõgi/ÕU'),
])

/** `GET /path` of the file, with ` batch`, or nothing. */
function find(method: string, target: string): string | undefined {
  const found = findEndpoint(endpoints, method, readTarget(target).path)
  return found && `${found.endpoint.method} ${found.endpoint.path}${found.batch ? ' batch' : ''}`
}

test('a target is split at the first question mark', () => {
  deepStrictEqual(readTarget('/a/b?c=%41?d'), { path: '/a/b', shown: '/a/b', query: 'c=%41?d' })
  deepStrictEqual(readTarget('/a?'), { path: '/a', shown: '/a', query: '' })
  deepStrictEqual(readTarget('/'), { path: '/', shown: '/', query: '' })
})

test('the path is percent-decoded before it is looked up, a plus sign is left alone [D1.5]', () => {
  deepStrictEqual(readTarget('/a%2Fb+%C3%B5?x'), { path: '/a/b+õ', shown: '/a/b+õ', query: 'x' })
  strictEqual(find('GET', '/crm%2Forders%2flist'), 'GET /crm/orders/list')
})

test('a target in the absolute form means its path', () => {
  deepStrictEqual(readTarget('http://example.org:8080/a/b?c'), { path: '/a/b', shown: '/a/b', query: 'c' })
  deepStrictEqual(readTarget('HTTPS://example.org?c'), { path: '', shown: '', query: 'c' })
  deepStrictEqual(readTarget('*'), { path: '*', shown: '*', query: '' })
  deepStrictEqual(readTarget('/http://x/y'), { path: '/http://x/y', shown: '/http://x/y', query: '' })
})

test('an escape that cannot be decoded leaves no path to look up [D1.3]', () => {
  for (const raw of ['/a%', '/a%zz', '/a%ff', '/%ED%A0%80']) {
    deepStrictEqual(readTarget(`${raw}?q`), { path: undefined, shown: raw, query: 'q' })
    strictEqual(find('GET', raw), undefined)
  }
})

test('every casing of project and path finds the file [S-file.1] [D1.6]', () => {
  strictEqual(find('GET', '/CRM/Orders/LIST'), 'GET /crm/orders/list')
  strictEqual(find('POST', '/crm/orders/create'), 'POST /crm/Orders/Create')
  strictEqual(find('POST', encodeURI('/JÕGI/õu')), 'POST /Jõgi/ÕU')
})

test('nothing but the whole path matches [D1.3] [S-error.SqlapiRuntimeException]', () => {
  const targets = ['', '/', '/crm', '/crm/', '/crm/orders/list/', '//crm/orders/list', '/crm//orders/list', '/x']
  for (const target of [...targets, '*', '/crm/./orders/list', '/crm/orders/list.sql', '/crm/orders/list/batch']) {
    strictEqual(find('GET', target), undefined, target)
    strictEqual(find('POST', target), undefined, target)
  }
})

test('other methods match nothing, and a file has one method [D1.3]', () => {
  const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY', 'get']
  for (const method of methods) strictEqual(find(method, '/crm/orders/list'), undefined, method)
  strictEqual(find('POST', '/crm/orders/list'), undefined)
  strictEqual(find('GET', '/crm/orders/create'), undefined)
})

test('HEAD finds the GET file [D1.4]', () => {
  strictEqual(find('HEAD', '/crm/orders/list'), 'GET /crm/orders/list')
  strictEqual(find('HEAD', '/crm/orders/create'), undefined)
})

test('the batch variant is for POST, in any casing [D1.7] [S-intro.8]', () => {
  strictEqual(find('POST', '/crm/orders/create/batch'), 'POST /crm/Orders/Create batch')
  strictEqual(find('POST', '/crm/orders/create/BATCH'), 'POST /crm/Orders/Create batch')
  strictEqual(find('POST', '/crm/orders/create%2Fbatch'), 'POST /crm/Orders/Create batch')
  strictEqual(find('GET', '/crm/orders/create/batch'), undefined)
  strictEqual(find('HEAD', '/crm/orders/list/batch'), undefined)
  strictEqual(find('POST', '/crm/orders/create/batch/'), undefined)
  strictEqual(find('POST', '/batch'), undefined)
})

test('a file that is itself called batch is found by its name and has a batch variant too [D1.7]', () => {
  strictEqual(find('POST', '/crm/batch'), 'POST /crm/batch')
  strictEqual(find('POST', '/crm/batch/batch'), 'POST /crm/batch batch')
  strictEqual(find('POST', '/crm/tool/batch'), 'POST /crm/tool/batch')
})

test('the message shows the path, cut to 256 whole characters [D1.3] [S-error.SqlapiRuntimeException]', () => {
  const message = (path: string): string => missingEndpoint(readTarget(path).shown).message
  strictEqual(missingEndpoint('/a').name, 'SqlapiRuntimeException')
  strictEqual(message('/demo/%C3%B5'), "Saved query '/demo/õ' does not exist")
  strictEqual(message('/demo/%zz'), "Saved query '/demo/%zz' does not exist")
  strictEqual(message(`/${'a'.repeat(255)}`), `Saved query '/${'a'.repeat(255)}' does not exist`)
  strictEqual(message(`/${'a'.repeat(300)}`), `Saved query '/${'a'.repeat(255)}' does not exist`)
  strictEqual(missingEndpoint('😀'.repeat(400)).message, `Saved query '${'😀'.repeat(256)}' does not exist`)
})

const get = '; the file answers GET and HEAD, not '
const post = '; the file answers POST, not '
const both = '; the files answer GET, HEAD and POST, not '
const own = '; the page answers GET and HEAD, not '
const pages = createPages({ version: '', packagingTime: 0, startTime: 0, datasources: [] })

for (const [request, instead] of [
  ['POST /crm/orders/list', `${get}POST`],
  ['PUT /CRM/Orders%2fList', `${get}PUT`],
  ['DELETE /crm/orders/list?x=1', `${get}DELETE`],
  ['GET /crm/orders/create', `${post}GET`],
  ['HEAD /crm/orders/create', `${post}HEAD`],
  ['PATCH /crm/orders/create', `${post}PATCH`],
  ['GET /crm/orders/create/BATCH', `${post}GET`],
  ['HEAD /JÕGI/õu', `${post}HEAD`],
  ['OPTIONS /crm/twice', `${both}OPTIONS`],
  ['POST /crm/orders/list/Batch', '; the file answers GET, and only a file that answers POST has a batch variant'],
  ['GET /crm/orders/list/batch', ''],
  ['POST /health', `${own}POST`],
  ['PUT /healthz', `${own}PUT`],
  ['DELETE /datasources?x', `${own}DELETE`],
  ['POST /Health', ''],
  ['POST /crm/none', ''],
  ['POST /crm/orders/list/', ''],
  ['POST /batch', ''],
  ['POST /%zz', ''],
  ['PUT *', ''],
  ['GET /crm/orders/list/', ''],
  ['GET /crm/Orders/List.sql', ''],
  ['GET //crm/orders/list', ''],
  ['HEAD /crm/GET/orders/list', ''],
  ['POST /crm/POST/orders/create/batch/', ''],
  ['GET /crm/GET/none', ''],
] as const) {
  test(`a method without a file is told which one has it: ${request} [S21]`, () => {
    const [method = '', target = ''] = request.split(' ')
    const all = new Map([...endpoints, endpoint('GET', '/crm/twice'), endpoint('POST', '/crm/twice')])
    strictEqual(
      answersInstead({ endpoints: all, pages }, method, readTarget(encodeURI(target).replaceAll('%25', '%')).path),
      instead,
    )
  })
}

const names = ['main', 'Sales', 'crm', 'CRM', 'straße']
const projectMap = { shop: 'main', Shop: 'Sales', CRM: 'main', STOCK: 'Sales', stock: 'crm' }
const choose = createDatasourceChooser({ names, projectMap, fallback: '', allowHeader: true })

test('an allowed header names the datasource exactly [S-routing.1] [D1.6]', () => {
  strictEqual(choose('shop', 'crm'), 'crm')
  strictEqual(choose('unknown', 'Sales'), 'Sales')
  for (const header of ['sales', 'MAIN', '', 'shop', 'toString']) unknown(() => choose('shop', header), header)
})

test('a header that is not allowed is not looked at [S-routing.1]', () => {
  const chooser = createDatasourceChooser({ names, projectMap, fallback: '', allowHeader: false })
  strictEqual(chooser('shop', 'crm'), 'main')
  strictEqual(chooser('shop', 'unknown'), 'main')
})

test('without a header the map decides, by the exact key first [S-routing.2] [D1.6]', () => {
  strictEqual(choose('shop', undefined), 'main')
  strictEqual(choose('Shop', undefined), 'Sales')
  strictEqual(choose('stock', undefined), 'crm')
  strictEqual(choose('SHOP', undefined), 'main', 'the first that is listed')
  strictEqual(choose('Stock', undefined), 'Sales', 'the first that is listed')
})

test('the map in any casing beats a datasource called as the project [S-routing.2] [D1.6]', () => {
  strictEqual(choose('CRM', undefined), 'main')
  strictEqual(choose('crm', undefined), 'main')
})

test('otherwise the project is the datasource, by the exact name first [S-routing.3] [D1.6]', () => {
  const chooser = createDatasourceChooser({ names, projectMap: {}, fallback: '', allowHeader: true })
  strictEqual(chooser('crm', undefined), 'crm')
  strictEqual(chooser('CRM', undefined), 'CRM')
  strictEqual(chooser('Crm', undefined), 'crm')
  strictEqual(chooser('SALES', undefined), 'Sales')
  strictEqual(chooser('STRAẞE', undefined), 'straße')
})

test('a name that is not configured is refused [S-routing.3] [S-error.UnknownDataSourceNameException]', () => {
  unknown(() => choose('nowhere', undefined), 'nowhere')
  unknown(() => choose('__proto__', undefined), '__proto__')
})

function unknown(run: () => unknown, name: string): void {
  const told = new RegExp(`^Datasource '${name}' is not configured; `)
  throws(run, { name: 'UnknownDataSourceNameException', message: told })
}

test('a project that leads nowhere else has the default datasource [N6.3]', () => {
  const rules = { names, projectMap, fallback: 'main' }
  const chooser = createDatasourceChooser({ ...rules, allowHeader: true })
  const cases = { unknown: 'main', toString: 'main', shop: 'main', Shop: 'Sales', crm: 'main', sales: 'Sales' }
  for (const [project, name] of Object.entries(cases)) strictEqual(chooser(project, undefined), name, project)
  strictEqual(chooser('unknown', 'crm'), 'crm')
  unknown(() => chooser('unknown', 'Main'), 'Main')
  strictEqual(createDatasourceChooser({ ...rules, allowHeader: false })('unknown', 'crm'), 'main')
})
