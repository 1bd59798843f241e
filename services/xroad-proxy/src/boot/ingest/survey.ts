/**
 * One WSDL with its sidecar and the files beside it -> what becomes of each of its operations: the text of a DSL file,
 * or why there is none. Reports every problem of the files; throws nothing and writes nothing. output.ts decides which
 * DSL file an operation gets, and whether it may have it.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { nearest } from '@services/config-file'
import type { Identity } from '../../model.ts'
import { finish, type Steps } from '../../steps.ts'
import { type MissingSchema, whereElse } from '../../wsdl/schema/missing.ts'
import { type Operation, readWsdl, type Wsdl } from '../../wsdl/operations/operations.ts'
import type { SkippedOperation } from '../../wsdl/operations/reasons.ts'
import type { Resolve } from '../../wsdl/schema/schema.ts'
import { besideWsdl } from '../../wsdl/schema/vendored.ts'
import { type Destination, type GeneratedDsl, generateDsl } from '../../wsdl/dsl/write.ts'
import { identityOf, tellStranger } from '../config/client-identity.ts'
import { localOf } from '../../wsdl/xml/qname.ts'
import { WsdlError } from '../../wsdl/xml/xml.ts'
import { identityProblem, readSidecar, type ReadSidecar, type Sidecar, SidecarError } from './sidecar.ts'
import { chooseDestination, type Circumstances } from './destination.ts'
import { FileProblem, readInside, readInsideIfAny, resolveBeside } from './files.ts'

export interface SurveyedWsdl {
  /** Relative to the directory. */
  readonly file: string
  /** Why there is nothing to be had from the file as a whole, in words. */
  readonly problem: string | undefined
  /** The line of the problem, where it has one. */
  readonly line?: number | undefined
  /** Whether the problem is that its sidecar names another member or subsystem than ours. */
  readonly isOfOther: boolean
  /** Whether it could be read; what was generated from it before stays where it could not. */
  readonly isRead: boolean
  readonly operations: readonly SurveyedOperation[]
  readonly missing: readonly MissingSchema[]
  readonly hasSidecar: boolean
  /** Files that it imports, where it holds nothing but imports. */
  readonly onlyImports: readonly string[]
  /** One WARN each, beginning with the file; about more than one operation. */
  readonly warnings: readonly string[]
  /** Those of them that say what the problem and the operations say as well. */
  readonly repeated: readonly string[]
}

export interface GeneratedOperation {
  readonly kind: 'generated'
  readonly name: string
  /** The WSDL that it is in, relative to the directory: this one, or one that it imports. */
  readonly file: string
  readonly line: number
  readonly lane: 'securityServer' | 'direct'
  /** Why X-Road refuses the call, in words: its element in the body does not begin with its service code. */
  readonly mismatch: string | undefined
  /** SHA-256 of the text of its DSL file, in hex. */
  readonly digest: string
  /** The text, and what it was made from; costs the reading of the WSDL where the operation was remembered. */
  open(): OpenedOperation
  /** Does ahead, in steps, what is costly about that. */
  prepare(): Steps<void>
}

export interface OpenedOperation {
  readonly dsl: GeneratedDsl
  readonly wsdl: Wsdl
  readonly operation: Operation
}

export type SurveyedOperation = GeneratedOperation | SkippedOperation

export function surveyWsdl(root: string, file: string, circumstances: Circumstances): SurveyedWsdl {
  return finish(surveyWsdlInSteps(root, file, circumstances))
}

/** `watch` sees where includes and imports lead. */
export function* surveyWsdlInSteps(
  root: string,
  file: string,
  circumstances: Circumstances,
  watch: (resolve: Resolve) => Resolve = (resolve) => resolve,
): Steps<SurveyedWsdl> {
  try {
    return yield* survey(root, file, circumstances, watch)
  } catch (error) {
    return { ...nothing, file, ...toProblem(error, join(root, file)) }
  }
}

const nothing = { isOfOther: false, operations: [], missing: [], hasSidecar: false, onlyImports: [] } as const

type Troubled = Pick<SurveyedWsdl, 'problem' | 'line' | 'isRead' | 'warnings' | 'repeated'>

/** Begins with the file, as every warning does. */
function toProblem(error: unknown, path: string): Troubled {
  const problem = problemOf(error)
  const line = error instanceof WsdlError ? error.line : undefined
  const place = line === undefined ? path : `${path}:${line}`
  const warnings = [`${place}: ${problem}; no operation of this WSDL is generated`]
  return { problem, line, isRead: false, warnings, repeated: warnings }
}

/** The service starts whatever a WSDL holds, so what nobody has thought of is a warning as well. */
function problemOf(error: unknown): string {
  if (error instanceof FileProblem || error instanceof WsdlError) return error.message
  if (error instanceof SidecarError) return `its sidecar cannot be used: ${error.message}`
  return `cannot be read (unexpected ${error instanceof Error ? `${error.name}: ${error.message}` : 'error'})`
}

function* survey(
  root: string,
  file: string,
  circumstances: Circumstances,
  watch: (resolve: Resolve) => Resolve,
): Steps<SurveyedWsdl> {
  const path = join(root, file)
  const { sidecar, lines, warnings, placeOf = () => path } = openSidecar(root, file)
  const refusal = sidecar && refusalOf(sidecar, placeOf('client'), circumstances)
  if (refusal !== undefined) {
    const { problem, isOfOther, cure } = refusal
    const warning = `${path}: ${problem}; no operation of this WSDL is generated; ${cure}`
    const told = { warnings: [...warnings, warning], repeated: [warning] }
    return { ...nothing, file, problem, isOfOther, isRead: true, ...told }
  }
  const client = callerOf(sidecar, circumstances) ?? circumstances.client
  const wsdl = readWsdl(readInside(root, file), file, watch(resolveBeside(root, file)))
  const remarks = new Set<string>()
  let characters = 0
  const toSurveyed = (operation: Wsdl['operations'][number]): SurveyedOperation => {
    if (operation.kind === 'skipped') return operation
    if (characters > maxCharacters) return tooLarge(operation)
    const { to, warnings: said } = chooseDestination(operation, sidecar, { ...circumstances, client })
    const dsl = generateDsl(wsdl, operation, to, lines)
    if (dsl.kind === 'skipped') return dsl
    const { name, file: place, line } = operation
    characters += dsl.text.length
    if (characters > maxCharacters) return tooLarge(operation)
    for (const remark of said) remarks.add(remark)
    const digest = createHash('sha256').update(dsl.text).digest('hex')
    return {
      kind: 'generated',
      name,
      file: place,
      line,
      lane: to.kind,
      mismatch: mismatchOf(to, dsl),
      digest,
      open: () => ({ dsl, wsdl, operation }),
      prepare: noSteps,
    }
  }
  const operations: SurveyedOperation[] = []
  for (const operation of wsdl.operations) {
    yield
    operations.push(toSurveyed(operation))
  }
  const mismatches = tellMismatches(operations)
  for (const remark of mismatches) remarks.add(remark)
  if (operations.length === 0) for (const remark of whyEmpty(wsdl)) remarks.add(remark)
  if (sidecar?.serviceCode !== undefined && operations.length > 1) {
    remarks.add(`all ${operations.length} operations get the service_code of the sidecar, ${sidecar.serviceCode}`)
  }
  return {
    file,
    problem: undefined,
    isOfOther: false,
    isRead: true,
    operations,
    missing: wsdl.missing,
    hasSidecar: sidecar !== undefined,
    onlyImports: wsdl.onlyImports,
    warnings: [
      ...warnings,
      ...tellStrangers(sidecar, placeOf, operations),
      ...Array.from(remarks, (remark) => `${path}: ${remark}`),
    ],
    repeated: mismatches.map((remark) => `${path}: ${remark}`),
  }
}

function* noSteps(): Steps<void> {}

/** Undefined where the configuration has no client of that name. */
function callerOf(sidecar: Sidecar | undefined, { client, clients = [] }: Circumstances): Identity | undefined {
  return identityOf({ client, clients }, sidecar?.client)
}

interface Refusal {
  readonly problem: string
  readonly isOfOther: boolean
  /** As the end of a sentence. */
  readonly cure: string
}

/**
 * Files that were generated before go as well: the service would not start with the name of a client that it does not
 * know.
 */
function refusalOf(sidecar: Sidecar, place: string, circumstances: Circumstances): Refusal | undefined {
  const client = callerOf(sidecar, circumstances)
  if (client === undefined) {
    const known = (circumstances.clients ?? []).map(({ name }) => name)
    const problem = `its sidecar cannot be used: ${place}: ${tellStranger(sidecar.client ?? '', known)}`
    return { problem, isOfOther: false, cure: 'add it to clients, or correct the sidecar' }
  }
  const differing = identityProblem(sidecar, client)
  if (differing === undefined) return undefined
  return { problem: `its sidecar is for somebody else: ${differing}`, isOfOther: true, cure: otherMemberCure }
}

/** A Security Server compares as many characters as the code has, and answers with a fault if they differ. */
function mismatchOf(to: Destination, { request }: GeneratedDsl): string | undefined {
  if (to.kind === 'direct' || localOf(request.name).startsWith(to.service.serviceCode)) return undefined
  return `has the service code ${to.service.serviceCode} and the element ${localOf(request.name)} in its body`
}

function tellMismatches(operations: readonly SurveyedOperation[]): readonly string[] {
  const refused = operations.filter(
    (operation) => operation.kind === 'generated' && operation.mismatch !== undefined,
  ) as GeneratedOperation[]
  const [first] = refused
  if (first === undefined) return []
  const more = refused.length === 1 ? '' : `; so do ${refused.length - 1} more`
  return [
    `operation ${first.name} ${first.mismatch}, which X-Road refuses: the name of the element must begin with the code${more}`,
  ]
}

/** Versions for operations that are not there. */
function tellStrangers(
  sidecar: Sidecar | undefined,
  placeOf: ReadSidecar['placeOf'],
  operations: readonly SurveyedOperation[],
): readonly string[] {
  const known = operations.map(({ name }) => name)
  const strangers = Object.keys(sidecar?.serviceVersions ?? {}).filter((name) => !known.includes(name))
  return strangers.map((name) => {
    const meant = nearest(name, known)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    return `${placeOf('service_versions', name)}: there is no such operation${hint}`
  })
}

/** A WSDL that only imports others has the operations of those; that they have none is reported where they are read. */
function whyEmpty({ missingWsdls, onlyImports }: Wsdl): readonly string[] {
  if (missingWsdls.length > 0) return [`has no operation${whereElse(missingWsdls)}`]
  return onlyImports.length > 0
    ? []
    : ['has no operation; it needs a portType, a binding and a service, which may be in another file of the provider']
}

/** What to do about a sidecar for another member, as the end of a sentence. */
export const otherMemberCure =
  'where the service is your own, make the sidecar and client_data agree; for one of another member write member_class, ' +
  'member_code and subsystem_code below provider:'

/** Of all DSL files of one WSDL; a hundred times what large ones have. Many operations may share one huge request. */
const maxCharacters = 20_000_000

function tooLarge({ name, file, line }: Operation): SkippedOperation {
  const detail = `the files of this WSDL would exceed ${maxCharacters} characters`
  return { kind: 'skipped', name, file, line, reason: 'request_too_large', detail }
}

function openSidecar(root: string, file: string): Partial<ReadSidecar> & Pick<ReadSidecar, 'warnings'> {
  const name = besideWsdl(file, '.meta.yaml')
  const path = join(root, name)
  let bytes: Buffer | undefined
  try {
    bytes = readInsideIfAny(root, name)
  } catch (error) {
    // A WSDL whose sidecar is there but unreadable must not be taken for one without: its own address would be called.
    throw error instanceof FileProblem ? new SidecarError(`${path} ${error.message}`) : error
  }
  return bytes === undefined ? { warnings: [] } : readSidecar(bytes, path)
}
