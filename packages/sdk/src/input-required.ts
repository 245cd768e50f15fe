/**
 * `inputRequired()` of the SDK 2.x. Where the SDK answers the client and is called again with the answers,
 * Edgeway asks and then calls the handler again itself (`rounds.ts`), so that these handlers also serve older clients.
 */
import type { HandlerExtra } from './extra.ts'
import { type AnySchema, isSchema, type SchemaOutput } from './schema.ts'
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Root,
  ServerRequest,
} from './types.ts'

/** The return value of a handler that needs answers. */
export interface InputRequiredResult {
  resultType: 'input_required'
  inputRequests?: Record<string, ServerRequest>
  requestState?: string
  [member: string]: unknown
}

export interface InputRequired {
  (spec: {
    inputRequests?: Record<string, ServerRequest>
    requestState?: string
  }): InputRequiredResult
  elicit(params: Omit<ElicitRequestFormParams, 'mode'>): ServerRequest
  elicitUrl(params: Omit<ElicitRequestURLParams, 'mode' | 'elicitationId'>): ServerRequest
  createMessage(params: CreateMessageRequestParams): ServerRequest
  listRoots(): ServerRequest
}

/** Builds the return value of a handler that needs answers, and the requests in it. */
export const inputRequired: InputRequired = Object.assign(
  (spec: { inputRequests?: Record<string, ServerRequest>; requestState?: string }) => {
    if (spec.inputRequests === undefined && spec.requestState === undefined) {
      throw new TypeError('inputRequired() needs inputRequests or a requestState')
    }
    return { resultType: 'input_required' as const, ...spec }
  },
  {
    elicit: (params: Omit<ElicitRequestFormParams, 'mode'>) => ({
      method: 'elicitation/create',
      params,
    }),
    elicitUrl: (params: Omit<ElicitRequestURLParams, 'mode' | 'elicitationId'>) => ({
      method: 'elicitation/create',
      params: { ...params, mode: 'url' },
    }),
    createMessage: (params: CreateMessageRequestParams) => ({
      method: 'sampling/createMessage',
      params,
    }),
    listRoots: () => ({ method: 'roots/list' }),
  },
)

/** One answer, by its kind. */
export type InputResponseView =
  | { kind: 'missing' }
  | { kind: 'elicit'; action: ElicitResult['action']; content?: Record<string, unknown> }
  | { kind: 'sampling'; result: CreateMessageResult }
  | { kind: 'roots'; roots: Root[] }

export function inputResponse(
  responses: Record<string, unknown> | undefined,
  key: string,
): InputResponseView {
  const answer = responses?.[key] as
    | (ElicitResult & CreateMessageResult & { roots?: Root[] })
    | undefined
  if (answer?.action !== undefined) {
    const { action, content } = answer
    return {
      kind: 'elicit',
      action,
      ...(content === undefined ? undefined : { content: { ...content } }),
    }
  }
  if (answer?.roots !== undefined) return { kind: 'roots', roots: answer.roots }
  return answer?.role === undefined ? { kind: 'missing' } : { kind: 'sampling', result: answer }
}

/** The content of an accepted form; undefined for any other answer, and for content that does not fit the schema. */
export function acceptedContent<T extends Record<string, unknown> = Record<string, unknown>>(
  responses: Record<string, unknown> | undefined,
  key: string,
): T | undefined
export function acceptedContent<S extends AnySchema>(
  responses: Record<string, unknown> | undefined,
  key: string,
  schema: S,
): SchemaOutput<S> | undefined
export function acceptedContent(
  responses: Record<string, unknown> | undefined,
  key: string,
  schema?: AnySchema,
): unknown {
  const view = inputResponse(responses, key)
  const content = view.kind === 'elicit' && view.action === 'accept' ? view.content : undefined
  if (content === undefined || !isSchema(schema)) return content
  const { validate } = schema['~standard'] as AnySchema['~standard'] & {
    readonly validate: (value: unknown) => { readonly value?: unknown; readonly issues?: unknown }
  }
  const outcome = validate(content)
  return outcome.issues === undefined ? outcome.value : undefined
}

/** Reads the state that a handler has returned; see the option `requestState.verify` of the SDK. */
export type VerifyState = (state: string, extra: HandlerExtra) => unknown
