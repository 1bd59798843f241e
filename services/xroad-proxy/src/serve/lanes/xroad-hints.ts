/**
 * The error of a Security Server, by its code -> what an operator can do about it, naming our client and the service.
 * For the log only: callers hear nothing of it. The codes are those of X-Road's own table of errors (ErrorCodes.java);
 * before version 7.8 they were written in capitals, and what a code wraps stands after a dot.
 */
import type { Called } from '../../trace.ts'

const hints: Readonly<Record<string, (client: string, service: string) => string>> = {
  accessdenied: (client, service) => `ask the provider of ${service} to give ${client} the right to call it`,
  unknownmember: (client, service) =>
    `the instance does not know ${client} or the provider of ${service}: check instance, class, code and subsystem of both, and that each is registered`,
  unknownservice: (_, service) =>
    `the provider has no service ${service}: check service code and version, and whether its WSDL or description is enabled`,
  servicedisabled: (_, service) => `the provider has disabled ${service}: ask it when it will be back`,
  servicetype: (_, service) => `${service} is of the other kind: call a REST service with kind: rest, a SOAP service with an envelope`,
  invalidsoap: () => 'the envelope is not valid SOAP 1.1: correct the template, and look for values of callers in three braces',
  invalidxml: () => 'the envelope is not valid XML, or an id:objectType is missing or wrong: correct the template',
  missingheader: () => 'the envelope has no Header: X-Road needs client, service, id and protocolVersion in it',
  missingheaderfield: () => 'the Header needs client, service, id and protocolVersion: add the one that the text names to the template',
  duplicateheaderfield: () => 'a field of the Header is there twice: remove one from the template',
  missingbody: () => 'the envelope has no Body: add it to the template',
  invalidbody: () => 'the Body needs exactly one element: correct the template',
  inconsistentheaders: (_, service) => `the name of the element in the Body does not begin with the service code of ${service}: make the two agree`,
  invalidprotocolversion: () => 'the Header names a protocol version that the Security Server does not take: xroad_protocol_version is 4.0 or 4.1',
  invalidclientidentifier: (client) => `the Security Server does not have the client ${client}: check client_data, and add the subsystem to it`,
  sslauthenticationfailed: (client) =>
    `the Security Server does not accept our certificate for ${client}: upload the certificate of the keystore to the internal TLS certificates of this client, or set its connection type`,
  networkerror: (_, service) => `no connection to the Security Server or to the address of ${service}: the firewall, or the provider, see the text`,
  unknownhost: (_, service) => `the address of ${service} cannot be resolved: tell the provider`,
  httperror: (_, service) => `${service} itself answers with an HTTP error: tell the provider`,
  servicemissingurl: (_, service) => `the provider has entered no address for ${service}: tell it`,
  servicemalformedurl: (_, service) => `the provider has entered a wrong address for ${service}: tell it`,
  servicefailed: (_, service) => `${service} did not answer as it should: tell the provider, with the id of the message`,
  inconsistentresponse: (_, service) => `${service} answered to another message: tell the provider`,
  missingsoap: (_, service) => `${service} answered without a SOAP message: tell the provider`,
  globalconfoutdated: () => 'the global configuration of the Security Server is out of date: its operator has to repair the download',
  maintenancemode: (_, service) => `a Security Server is in maintenance, yours or that of ${service}: wait, or ask its operator`,
  cannotcreatesignature: (client) => `the Security Server cannot sign for ${client}: its operator has to check the token, its PIN and the signing certificate`,
  cannotsign: (client) => `the Security Server cannot sign for ${client}: its operator has to check the token, its PIN and the signing certificate`,
  tokennotactive: () => 'a token of the Security Server is not logged in: its operator has to enter the PIN',
  timestampingfailed: () => 'the Security Server has had no time-stamp for too long: its operator has to check the time-stamping service',
  loggingfailed: () => 'the Security Server cannot write its message log: its operator has to check the database and the time-stamping service',
  mimeparsingfailed: () => 'the multipart message cannot be read: correct the attachments of the template',
  invalidcontenttype: () => 'the message, or one of its parts, has a content type that X-Road does not take',
  clientproxyversionnotsupported: () => 'your Security Server is too old for that of the provider: its operator has to update it',
  internalerror: () => 'a Security Server has failed by itself: its operator finds the cause in its log by the id of the message',
} // prettier-ignore

/** Undefined for codes of the provider, and for those that nobody knows. */
export function hintFor(code: string, { client = 'this client', service = 'the service' }: Called): string | undefined {
  const parts = code.trim().toLowerCase().replaceAll('_', '').split('.')
  if (!/(?:^|:)(?:server|client)$/.test(parts[0] ?? '') || parts.length < 2) return undefined
  // The last one says most, such as service_failed.network_error.
  for (const part of parts.slice(1).toReversed()) {
    const hint = Object.hasOwn(hints, part) ? hints[part] : undefined
    if (hint !== undefined) return hint(client, service)
  }
  return undefined
}
