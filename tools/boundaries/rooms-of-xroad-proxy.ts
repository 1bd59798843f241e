/** The rooms of xroad-proxy, see rooms.ts. */
import type { Part } from './part.ts'

export const proxy: Part = {
  root: 'services/xroad-proxy/src',
  rooms: [
    { room: 'model.ts', is: 'the nouns of boot and serve' },
    { room: 'trace.ts', is: 'what is known of a call in flight', imports: 'model.ts @services/trace' },
    { room: 'errors.ts', is: 'the errors that people are told', imports: 'model.ts' },
    { room: 'version.ts', is: 'what the package says about itself' },
    {
      room: 'events.ts',
      is: 'the events of the service',
      imports: '@services/command-line @services/observe @services/reload',
    },
    { room: 'soap-versions.ts', is: 'what tells versions of SOAP apart', imports: 'model.ts', isPure: true },
    { room: 'xroad.ts', is: 'how X-Road writes names', imports: 'model.ts', isPure: true },
    { room: 'path-template.ts', is: 'paths with parameters', isPure: true },
    { room: 'header-names.ts', is: 'headers that never pass', isPure: true },
    { room: 'raw-headers.ts', is: 'headers by their names', imports: 'model.ts', isPure: true },
    { room: 'steps.ts', is: 'work that is done in steps', isPure: true },
    { room: 'audit/open-file.ts', is: 'which files may be the audit file' },
    {
      room: 'audit',
      is: 'who asked what, line by line in a file',
      imports: 'model.ts events.ts audit/open-file.ts @services/observe',
    },
    { room: 'guard', is: 'which addresses may be called' },
    {
      room: 'upstream',
      is: 'calls that go out',
      imports:
        'model.ts errors.ts header-names.ts guard/lookup.ts @services/http-shell @services/linked-list @services/trace',
    },
    { room: 'soap/json', is: 'XML into JSON', imports: 'model.ts steps.ts', isPure: true },
    { room: 'soap/mime', is: 'the parts of a multipart body', imports: 'steps.ts soap/json', isPure: true },
    {
      room: 'soap/message',
      is: 'responses as they arrive',
      imports: 'model.ts errors.ts steps.ts soap/json soap/mime',
      isPure: true,
    },
    { room: 'soap/check/pattern', is: 'expressions, in one pass over a text', isPure: true },
    {
      room: 'soap/check',
      is: 'checks of requests',
      imports: 'model.ts errors.ts steps.ts soap/check/pattern',
      isPure: true,
    },
    { room: 'soap/handlebars.d.ts', is: 'the library of templates, as one file', isPure: true },
    {
      room: 'soap/request',
      is: 'templates, their values, and what travels beside an envelope',
      imports: 'model.ts errors.ts steps.ts soap/json soap/mime soap/check/amount.ts soap/check/decimals.ts',
      isPure: true,
    },
    {
      room: 'wsdl/xml',
      is: 'XML as a tree',
      imports: 'soap/json/xml-error.ts soap/message/charset.ts',
      isPure: true,
    },
    { room: 'wsdl/schema', is: 'XML Schema', imports: 'soap-versions.ts wsdl/xml', isPure: true },
    { room: 'wsdl/outline', is: 'what messages may hold', imports: 'wsdl/xml wsdl/schema', isPure: true },
    {
      room: 'wsdl/operations',
      is: 'what a WSDL offers',
      imports: 'model.ts soap-versions.ts wsdl/xml wsdl/schema wsdl/outline',
      isPure: true,
    },
    {
      room: 'wsdl/request',
      is: 'a request and its params',
      imports:
        'model.ts wsdl/xml wsdl/schema/simple-type.ts wsdl/schema/framework.ts wsdl/schema/missing.ts wsdl/outline wsdl/operations',
      isPure: true,
    },
    {
      room: 'wsdl/dsl',
      is: 'a request as a DSL file',
      imports: 'model.ts soap-versions.ts wsdl/xml wsdl/schema/framework.ts wsdl/operations wsdl/request',
      isPure: true,
    },
    {
      room: 'wsdl/description',
      is: 'requests and responses as JSON Schema',
      imports:
        'model.ts soap/json/shape.ts soap/check/contract.ts soap/check/decimals.ts soap/check/text-check.ts soap/check/pattern wsdl/xml wsdl/schema/simple-type.ts wsdl/schema/pattern.ts wsdl/outline wsdl/request',
      isPure: true,
    },
    { room: 'boot/config', is: 'the configuration', imports: 'model.ts errors.ts @services/config-file' },
    {
      room: 'boot/tls',
      is: 'keys, passwords and certificates',
      imports: 'errors.ts @services/config-file @services/config-file/secret-file',
    },
    {
      room: 'boot/dsl',
      is: 'DSL files',
      imports:
        'model.ts soap-versions.ts errors.ts steps.ts path-template.ts header-names.ts soap/check soap/request wsdl/xml wsdl/dsl/marker.ts xroad.ts boot/config @services/config-file',
    },
    {
      room: 'boot/openapi',
      is: "REST services' own descriptions",
      imports: 'model.ts path-template.ts boot/dsl @services/config-file',
    },
    {
      room: 'boot/ingest',
      is: 'WSDL files into DSL files',
      imports:
        'model.ts errors.ts steps.ts version.ts guard/address.ts wsdl/xml wsdl/schema wsdl/operations wsdl/request wsdl/dsl boot/config boot/dsl @services/config-file',
    },
    {
      room: 'boot/description',
      is: 'the description at /api',
      imports:
        'model.ts errors.ts steps.ts xroad.ts path-template.ts boot/config soap/json/shape.ts wsdl/operations wsdl/description boot/ingest',
    },
    {
      room: 'boot/checks',
      is: 'which requests are checked, and against what',
      imports: 'model.ts errors.ts steps.ts soap/check wsdl/description boot/ingest @services/config-file',
    },
    { room: 'boot', is: 'the command line', imports: 'version.ts @services/command-line @services/config-file' },
    {
      room: 'serve/lanes',
      is: 'the SOAP lane and the REST lane',
      imports:
        'model.ts trace.ts errors.ts events.ts steps.ts xroad.ts raw-headers.ts path-template.ts upstream soap/** @services/trace @services/config-file',
    },
    { room: 'serve/paths', is: 'what callers send in paths', imports: 'xroad.ts path-template.ts', isPure: true },
    {
      room: 'serve/route.ts',
      is: 'what a path leads to',
      imports: 'model.ts errors.ts path-template.ts serve/paths @services/config-file @services/docs-page',
    },
    { room: 'serve/pages', is: 'pages of our own', imports: 'model.ts xroad.ts raw-headers.ts @services/docs-page' },
    {
      room: 'serve',
      is: 'requests and replies',
      imports:
        'model.ts trace.ts errors.ts events.ts xroad.ts raw-headers.ts audit upstream/headers.ts serve/** @services/content-coding @services/http-shell @services/observe @services/trace',
    },
    { room: 'certificate-watch.ts', is: 'certificates that end soon', imports: 'events.ts boot/tls/certificates.ts' },
    {
      room: 'served/lanes.ts',
      is: 'both lanes, opened: who calls, and where calls go',
      imports:
        'model.ts events.ts xroad.ts guard/lookup.ts upstream boot/config boot/tls boot/dsl serve/lanes soap/check/check.ts @services/config-file',
    },
    {
      room: 'measure',
      is: 'what the service counts',
      imports: 'events.ts @services/metrics @services/observe @services/reload',
    },
    {
      room: 'served',
      is: 'what is served, as sets that replace each other',
      imports:
        'model.ts version.ts errors.ts events.ts steps.ts audit upstream soap/json/shape.ts boot/** serve serve/** certificate-watch.ts served/lanes.ts measure @services/config-file @services/content-coding @services/http-shell @services/observe @services/trace',
    },
    {
      room: 'service.ts',
      is: 'the service: a port, and the set behind it',
      imports: 'events.ts boot/config serve served served/lanes.ts measure @services/config-file @services/http-shell',
    },
    {
      room: 'reload',
      is: 'reload while the service runs',
      imports:
        'errors.ts events.ts wsdl/dsl/marker.ts boot/config boot/dsl service.ts @services/command-line @services/config-file @services/reload',
    },
    {
      room: 'admin',
      is: 'the listener for operators',
      imports:
        'errors.ts version.ts events.ts upstream boot/config served/lanes.ts measure @services/admin @services/command-line @services/http-shell @services/metrics @services/observe',
    },
    { room: 'mock/read', is: 'XML and multipart messages of requests, read by code of its own', isPure: true },
    { room: 'mock/wire.ts', is: 'a request to the mock and its connection' },
    {
      room: 'mock/failures',
      is: 'what goes wrong on demand',
      imports: 'mock/read mock/wire.ts',
    },
    {
      room: 'mock',
      is: 'a Security Server to try things with',
      imports:
        'errors.ts boot/tls/own-certificate.ts mock/** @services/command-line @services/config-file @services/http-shell',
    },
    {
      room: 'metadata',
      is: 'what a Security Server says of services',
      imports:
        'model.ts errors.ts steps.ts xroad.ts upstream/upstream.ts soap/json soap/mime soap/message boot/config boot/tls',
    },
    {
      room: 'doctor/probe',
      is: 'what a Security Server says of endpoints',
      imports: 'model.ts xroad.ts upstream/causes.ts metadata boot/config boot/tls',
    },
    {
      room: 'doctor/facts',
      is: 'facts about an installation',
      imports:
        'model.ts errors.ts steps.ts audit/open-file.ts boot/config boot/tls boot/dsl boot/openapi boot/ingest boot/description/typed-responses.ts doctor/probe @services/config-file',
    },
    {
      room: 'doctor',
      is: 'what is wrong with an installation',
      imports:
        'model.ts xroad.ts boot/flags.ts boot/config boot/tls boot/ingest doctor/** @services/command-line @services/config-file',
    },
    {
      room: 'wsdl-command',
      is: 'WSDL files on the command line',
      imports:
        'errors.ts guard upstream/upstream.ts wsdl/xml wsdl/schema boot/flags.ts boot/config boot/tls boot/ingest @services/command-line @services/config-file',
    },
    {
      room: 'wsdl-command/add',
      is: 'WSDLs of other members, put into the directory',
      imports:
        'model.ts metadata wsdl/xml wsdl/schema wsdl/operations boot/flags.ts boot/config boot/tls boot/dsl boot/ingest boot/openapi wsdl-command @services/command-line @services/config-file',
    },
    {
      room: 'main.ts',
      is: 'the commands',
      imports:
        'errors.ts events.ts boot/flags.ts boot/config service.ts reload admin mock/command.ts doctor/command.ts wsdl-command/command.ts wsdl-command/add/command.ts @services/command-line @services/config-file @services/observe',
    },
  ],
  outside: {
    '@seriousme/openapi-schema-validator': 'boot/openapi/validate.ts',
    handlebars: 'soap/handlebars.d.ts soap/request/template.ts soap/request/template-helpers.ts',
    'node-forge': 'mock/pki.ts',
    'node:dns': 'guard/lookup.ts',
    'node:fs':
      'version.ts audit boot/tls/named-file.ts boot/dsl/endpoints.ts boot/dsl/tree.ts boot/dsl/missing-directory.ts boot/dsl/description-files.ts boot/openapi/documents.ts boot/ingest mock doctor/facts wsdl-command wsdl-command/add reload/files.ts',
    'node:http': 'mock/wire.ts',
    'node:https': 'mock/mock.ts',
    'node:module': 'boot/dsl/declared-params.ts',
    'node:net': 'admin guard upstream boot/tls/own-certificate.ts mock doctor/probe/probe.ts',
    'node:os': 'wsdl-command/add/lock.ts',
    'node:tls': 'upstream boot/tls metadata mock doctor/facts doctor/probe',
    saxes: 'soap/json/parser.ts wsdl/xml/xml.ts',
    undici: 'upstream/client.ts upstream/undici-client.d.ts',
  },
}
