/**
 * Names of X-Road as they are written on the command line -> whom and what they mean:
 * `[INSTANCE/]CLASS/CODE/SUBSYSTEM`, for the Security Server with `[/SERVICE[/VERSION]]` behind it. Also the owner of a
 * folder. Pure; a wrong one is an `AddProblem`.
 */
import { ownerName } from '../../boot/ingest/folder.ts'
import type { Identity } from '../../model.ts'
import { AddProblem } from './add-problem.ts'

export interface ServiceAddress {
  readonly provider: Identity
  /** Undefined for all that the provider offers. */
  readonly service: string | undefined
  /** Undefined for all versions. */
  readonly version: string | undefined
}

const providerForm = '[INSTANCE/]CLASS/CODE/SUBSYSTEM'
const addressForm = `${providerForm}[/SERVICE[/VERSION]]`
const example = 'GOV/70000310/arireg'

/** `own` is who we are: its instance is meant where none is named. */
export function readProvider(text: string, own: Identity): Identity {
  const parts = toParts(text)
  if (parts === undefined || parts.length > 4 || !hasSubsystem(parts, own)) {
    throw malformed('--provider', text, `${providerForm}, such as ${example}`)
  }
  return toIdentity(parts, parts.length === 4, own)
}

export function readServiceAddress(text: string, own: Identity): ServiceAddress {
  const parts = toParts(text)
  if (parts === undefined || parts.length > 6 || !hasSubsystem(parts, own)) {
    throw malformed('--from-security-server', text, `${addressForm}, such as ${example} or ${example}/companies/v1`)
  }
  const hasInstance = parts.length === 6 || (parts.length > 3 && isInstance(parts, own))
  const [service, version] = parts.slice(hasInstance ? 4 : 3)
  return { provider: toIdentity(parts, hasInstance, own), service, version }
}

/** Three parts that begin with an instance are a member without one. */
function hasSubsystem(parts: readonly string[], own: Identity): boolean {
  return parts.length > 3 || (parts.length === 3 && !isInstance(parts, own))
}

/** Classes of members in the countries that run X-Road. */
const memberClasses: ReadonlySet<string> = new Set(
  'GOV COM NGO NEE MUN ORG EDU PUB PRI PRV PRIVATE PUBLIC LEG NAT'.split(' '),
)

/**
 * Four and five parts may begin with either: our own instance is one, and so is what is before a class of members.
 */
function isInstance([first = '', second = '']: readonly string[], { instance, memberClass }: Identity): boolean {
  if (first === instance) return true
  if (memberClasses.has(first) || first === memberClass) return false
  return memberClasses.has(second) || (memberClass !== '' && second === memberClass)
}

function toIdentity(parts: readonly string[], hasInstance: boolean, { instance }: Identity): Identity {
  const [first = instance, memberClass = '', memberCode = '', subsystemCode = ''] = hasInstance
    ? parts
    : [instance, ...parts]
  return { instance: first, memberClass, memberCode, subsystemCode }
}

const maxPartCharacters = 255

/** Undefined where a part is empty or is nothing that X-Road could call somebody. */
function toParts(text: string): readonly string[] | undefined {
  const parts = text.split('/').map((part) => part.trim())
  const isFine = parts.every(
    (part) => part !== '' && part.length <= maxPartCharacters && !/^\.\.?$|[\p{C}\u2028\u2029\\%]/u.test(part),
  )
  return isFine ? parts : undefined
}

/** The folder below the directory, of one name or two. */
export function readOwner(given: string | undefined, { subsystemCode }: Identity): string {
  const owner = given ?? subsystemCode.toLowerCase().normalize('NFC')
  const names = owner.split('/')
  if (names.length <= 2 && names.every((name) => ownerName.test(name))) return owner
  if (given === undefined) {
    throw new AddProblem(
      `the subsystem ${shown(subsystemCode)} cannot be the name of a folder and a part of a URL; give one with --owner NAME`,
    )
  }
  const expected = 'letters, digits, _, . and -, such as arireg, or arireg/v2 for a folder in that of arireg'
  throw malformed('--owner', given, expected)
}

function malformed(flag: string, found: string, expected: string): AddProblem {
  return new AddProblem(`${flag}: found ${shown(found)}, expected ${expected}`, { isUsage: true })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
