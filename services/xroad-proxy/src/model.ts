/**
 * The nouns of the service. Boot makes them, serve reads them; nothing here runs.
 */

/** Who somebody is in X-Road, in the order of the identifier. Empty strings where the configuration says nothing. */
export interface Identity {
  readonly instance: string
  readonly memberClass: string
  readonly memberCode: string
  readonly subsystemCode: string
}

/** A REST service of a provider. `path` starts with a slash or is empty; it may have parameters, `{id}`. */
export interface Target {
  /** Empty for our own, which requests take from the configuration. */
  readonly xroadInstance: string
  readonly memberClass: string
  readonly memberCode: string
  readonly subsystemCode: string
  readonly serviceCode: string
  readonly path: string
}

interface EndpointBase {
  /** First segment of the URL: name of the file's folder. */
  readonly group: string
  /** Second segment of the URL: name of the file without its extension. */
  readonly service: string
  /** What follows in the URL: empty, or from a slash on; `{id}` is a parameter, `{id+}` one for all that is left. */
  readonly path: string
  /** Upper case, one or more, in the order of the file. */
  readonly methods: readonly string[]
  /** Path of the DSL file, for messages to the operator. */
  readonly file: string
  /** Name of who calls, in `clients`; undefined where that is `client_data`. */
  readonly client: string | undefined
  /** What a person who wrote the file calls it. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly limits: EndpointLimits
}

/** What is undefined is as the configuration has it. */
export interface EndpointLimits {
  readonly timeoutSeconds: number | undefined
  readonly maxResponseBytes: number | undefined
}

/** `schema`: with the types of the WSDL. */
export type ResponseShape = 'plain' | 'schema'

/** Nothing, what they are, or their content too. */
export type AttachmentMode = 'none' | 'list' | 'base64'

/** Params of one object of a request of which only those of one branch can be sent: `xsd:choice`. */
export interface ParamChoice {
  /** The params that lead to the object, from the body inwards: none for the body. Of a list each item is meant. */
  readonly within: readonly string[]
  /**
   * In order: of two that are given the template takes the first. A branch is given when one of its `params` is, with
   * something other than an empty list; null is something where the param may be null. No name is in two branches.
   */
  readonly branches: readonly ParamBranch[]
  /** Whether one of the branches has to be given.. */
  readonly isRequired: boolean
  /** ..if any of these params of the same object is; where there are none, in any case. */
  readonly around: readonly string[]
}

export interface ParamBranch {
  readonly params: readonly string[]
  /** Those of them that a caller of the branch has to give. */
  readonly required: readonly string[]
}

/** Of the envelope: its namespace, and what goes along with it in HTTP. */
export type SoapVersion = '1.1' | '1.2'

/** What becomes of requests that do not fit: they go on, they go on and the log tells, they are refused. */
export type ValidationMode = 'off' | 'warn' | 'refuse'

export type ParamType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'array' | 'object'

export interface DeclaredParam {
  readonly name: string
  /** Undefined: anything. */
  readonly type: ParamType | undefined
  readonly isRequired: boolean
  /** An expression of ECMAScript about the whole value. */
  readonly pattern: string | undefined
  /** Values of which one is meant, as they are written. */
  readonly enumeration: readonly string[] | undefined
  readonly description: string | undefined
}

export interface SoapEndpoint extends EndpointBase {
  readonly kind: 'soap'
  readonly soapVersion: SoapVersion
  /** Keys of the request body that reach the template. */
  readonly params: readonly string[]
  /** Which of them rule each other out; a choice inside a branch of another one is behind it. */
  readonly choices: readonly ParamChoice[]
  /** What the file says of its params; undefined where it only lists them. */
  readonly declared: readonly DeclaredParam[] | undefined
  /** What becomes of requests that do not fit; undefined where the configuration decides. */
  readonly validation: ValidationMode | undefined
  /** Address of a direct call; without it the call goes through the Security Server. */
  readonly url: string | undefined
  readonly soapAction: string | undefined
  readonly envelope: Template
  /** Shape of the reply; undefined where the configuration decides. */
  readonly response: ResponseShape | undefined
  /** What answers show of attachments; undefined where the shape of the reply decides. */
  readonly attachments: AttachmentMode | undefined
  /** Made from a WSDL, so that its address is not one that the operator wrote. */
  readonly isGenerated: boolean
  /** Headers of a caller that reach the envelope. */
  readonly callerHeaders?: readonly string[] | undefined
}

export interface HeaderEdits {
  /** In lower case. */
  readonly remove: readonly string[]
  readonly set: readonly SetHeader[]
}

export interface SetHeader {
  readonly name: string
  /** The variable instead of its value: an endpoint may be shown, its secrets may not. */
  readonly value: string | { readonly env: string }
}

export interface RestEndpoint extends EndpointBase {
  readonly kind: 'rest'
  readonly target: Target
  readonly headers: HeaderEdits | undefined
  /** Undefined: every key of the query string is forwarded. Empty: none. */
  readonly allowedQueryParams: ReadonlySet<string> | undefined
  readonly forwardBody: boolean
}

/** What the OpenAPI of a service says of an endpoint, as plain JSON: an operation of 3.1, and the components. */
export interface DescribedEndpoint {
  readonly fields: Readonly<Record<string, unknown>>
  readonly components: Readonly<Record<string, unknown>>
}

/** What a DSL file publishes at `/<group>/<service>`, and at paths below it. */
export type Endpoint = SoapEndpoint | RestEndpoint

/** A SOAP envelope with gaps. Rendering throws `template_expansion_failed`. */
export interface Template {
  /** Whether it says who the client is: by `generate.client`. */
  readonly namesClient: boolean
  /** Params that are attachments; undefined for a template that attaches nothing. */
  readonly attached: readonly string[] | undefined
  /** Attachments go into the list; without one they are dropped. Throws `malformed_request` for an invalid value. */
  render(values: TemplateValues, generated: Generated, attachments?: Attaching): string
  renderInSteps(
    values: TemplateValues,
    generated: Generated,
    options?: RenderOptions,
  ): Generator<Promise<void> | undefined, string, undefined>
}

export interface RenderOptions {
  readonly attachments?: Attaching | undefined
  /** Called before each pause with the characters that there are so far; says what the pause waits for. */
  readonly onGrowth?: (characters: number) => Promise<void> | undefined
}

export interface Attaching {
  /** What the envelope has instead of the attachment. */
  attach(helper: 'swa_ref' | 'xop_include' | 'mime_part', value: unknown, wish: AttachmentWish): string
}

export interface AttachmentWish {
  /** The param, or the place in it, for messages: `files.1`. */
  readonly path: string
  readonly type: unknown
  readonly part: unknown
}

export interface Attachment {
  /** Content-ID without its brackets; letters, digits and characters that need no escapes. */
  readonly id: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A file of a caller, instead of base64 text. */
export interface TemplateFile {
  readonly bytes: Uint8Array
  readonly type: string | undefined
}

/** Allow-listed values of the caller: text, or digits as the caller wrote them; objects have no prototype. */
export type TemplateValue = null | boolean | number | string | readonly TemplateValue[] | TemplateObject | TemplateFile
export interface TemplateObject {
  readonly [key: string]: TemplateValue
}
export type TemplateValues = TemplateObject

/** What a template finds below `generate`. */
export interface Generated {
  readonly uuid: string
  readonly instance: string
  readonly client: string
  readonly protocol_version: string
  readonly user_id?: string | undefined
  readonly issue?: string | undefined
}

/** Header names and values in turn, as they stood on the wire, one character for each byte. */
export type RawHeaders = readonly string[]

export interface Request {
  readonly method: string
  /** Address of who sent it; undefined once the connection is closed. */
  readonly peer: string | undefined
  /** Path and query string as on the request line. */
  readonly target: string
  /** X-Request-Id of the caller, or a new one; the reply has it too. */
  readonly requestId: string
  /** Where it is in a trace, once that is known. */
  traceparent?: string | undefined
  readonly headers: RawHeaders
  readonly upload: Upload
}

export interface Upload {
  /** Declared length in bytes, 0 without a body, undefined for a chunked one. */
  readonly length: number | undefined
  /** The whole body. Throws `request_too_large` for more than `maxBytes`. */
  collect(maxBytes: number, reserve?: Reserve): Promise<Uint8Array>
  /** Pieces as they arrive; for a body of declared length. Leaving the loop early does not end the connection. */
  stream(): AsyncIterable<Uint8Array>
}

/** Counts bytes that are about to be kept. The reader waits for a promise, and stops reading if it rejects. */
export type Reserve = (bytes: number, giveUp: unknown, isWhole: boolean) => Promise<void> | undefined

/** Where a lane writes its reply. Either `send`, or `begin`, any number of `write`, and `end` or `breakOff`. */
export interface ResponseWriter {
  /** Whether the caller is still connected. */
  readonly isOpen: boolean
  readonly hasBegun: boolean
  /** Status that was sent, 0 before. */
  readonly status: number
  /** Bytes of the body that were handed over so far. */
  readonly bytes: number
  /** Called once, if the caller leaves before the reply has ended. */
  onGone: (() => void) | undefined
  /** Closed when the reply is sent or the caller has left. */
  held?: { close(): void } | undefined
  /** A whole reply of the service itself. */
  send(reply: Reply | FileReply): void
  begin(status: number, statusText: string, headers: RawHeaders): void
  /** False when the caller reads slower than we write; `resume` is called when it is time for more. */
  write(chunk: Uint8Array, resume: () => void): boolean
  end(chunk?: Uint8Array): void
  /** The rest is missing: the caller must not mistake the reply for a whole one. */
  breakOff(): void
}

/** A reply that the service itself makes. */
export interface Reply {
  readonly status: number
  /** JSON text. */
  readonly body: string
  /** Beyond content-type and content-length. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A reply of bytes; JSON unless its headers name another type. */
export interface FileReply extends Omit<Reply, 'body'> {
  readonly body: Uint8Array
}

/** Who made an error: this service, our Security Server, the provider's Security Server, the provider. */
export type FailureSource = 'proxy' | 'security_server' | 'provider_security_server' | 'provider'

export interface Fault {
  readonly code: string
  readonly string: string
  /** JSON text by the rules of translation; undefined when the fault has no detail. */
  readonly detail: string | undefined
}

/** A SOAP response in JSON: `body` and `headers` are JSON texts. */
export interface Translation {
  readonly body: string
  readonly headers: string
  readonly fault: Fault | undefined
  /** JSON text of an array; undefined where there are none. */
  readonly attachments?: string
}
