/**
 * The service that an envelope is for -> the lines of its X-Road header, as a template: who calls, the id of the
 * message and its user come with each call. What the Body holds is envelope-template.ts.
 */
import type { Target } from '../../model.ts'
import { escapeText } from './template-text.ts'

/** The X-Road service that an envelope is for. */
export interface ServiceId extends Omit<Target, 'path'> {
  readonly serviceVersion: string | undefined
}

export function writeHeader(service: ServiceId): readonly string[] {
  const part = (name: string, value: string) => `    <id:${name}>${escapeText(value)}</id:${name}>`
  const { xroadInstance, subsystemCode, serviceVersion } = service
  return [
    '<soapenv:Header>',
    '  {{{generate.client}}}',
    '  <xroad:service id:objectType="SERVICE">',
    xroadInstance === ''
      ? '    <id:xRoadInstance>{{generate.instance}}</id:xRoadInstance>'
      : part('xRoadInstance', xroadInstance),
    part('memberClass', service.memberClass),
    part('memberCode', service.memberCode),
    ...(subsystemCode === '' ? [] : [part('subsystemCode', subsystemCode)]),
    part('serviceCode', service.serviceCode),
    ...(serviceVersion === undefined ? [] : [part('serviceVersion', serviceVersion)]),
    '  </xroad:service>',
    '  {{#if_present generate.user_id}}<xroad:userId>{{generate.user_id}}</xroad:userId>{{/if_present}}',
    '  <xroad:id>{{generate.uuid}}</xroad:id>',
    '  {{#if_present generate.issue}}<xroad:issue>{{generate.issue}}</xroad:issue>{{/if_present}}',
    '  <xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>',
    '</soapenv:Header>',
  ]
}
