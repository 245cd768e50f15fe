/** The call of the view's own tool, as the notifications of the host tell of it. */
import { parseResult, type ToolResult } from './content.ts'
import { isObject, type Members } from './frame.ts'

/** Arguments that the model has not written to their end: any member may be absent, and change. */
export type Partially<Value> = Value extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: Partially<Value[Name]> }
    : Value

/**
 * The call of the tool. `waiting`: nothing is known. `writing`: the model writes the arguments. `running`: they are
 * complete. `failed`: the result has `isError`. Some hosts send a result without arguments.
 */
export type ToolState<Arguments = { readonly [name: string]: unknown }, Result = unknown> =
  | { readonly status: 'waiting' }
  | { readonly status: 'writing'; readonly partial: Partially<Arguments> }
  | { readonly status: 'running'; readonly arguments: Arguments }
  | {
      readonly status: 'done'
      readonly arguments?: Arguments
      readonly result: ToolResult<Result> & { readonly isError?: false }
    }
  | {
      readonly status: 'failed'
      readonly arguments?: Arguments
      readonly result: ToolResult & { readonly isError: true }
    }
  | { readonly status: 'cancelled'; readonly arguments?: Arguments; readonly reason?: string }

/**
 * The state after a notification; a sentence where the host may not send it. Arguments after an end begin the next call,
 * except late ones of a call whose result came first.
 */
export const TOOL_NOTIFICATIONS: ReadonlyMap<
  string,
  (state: ToolState, params: Members) => ToolState | string
> = new Map<string, (state: ToolState, params: Members) => ToolState | string>([
  [
    'ui/notifications/tool-input-partial',
    (state, { arguments: partial = {} }) => {
      if (!isObject(partial)) return 'Partial arguments are no object'
      if (state.status === 'running') return 'Partial arguments came after the complete ones'
      return { status: 'writing', partial }
    },
  ],
  [
    'ui/notifications/tool-input',
    (state, { arguments: complete = {} }) => {
      if (!isObject(complete)) return 'The arguments are no object'
      const isLate = 'result' in state && state.arguments === undefined
      return isLate ? { ...state, arguments: complete } : { status: 'running', arguments: complete }
    },
  ],
  [
    'ui/notifications/tool-result',
    (state, params) => {
      const result = parseResult(params)
      if (result === undefined) return 'The result of the tool is malformed'
      if (state.status === 'cancelled') return 'A result came after the cancellation'
      const known = argumentsOf(state)
      return result.isError
        ? { status: 'failed', ...known, result }
        : { status: 'done', ...known, result }
    },
  ],
  [
    'ui/notifications/tool-cancelled',
    (state, { reason }) => {
      if ('result' in state) return 'A cancellation came after the result'
      const named = typeof reason === 'string' ? { reason } : undefined
      return { status: 'cancelled', ...argumentsOf(state), ...named }
    },
  ],
])

function argumentsOf(state: ToolState): { readonly arguments?: Members } {
  return 'arguments' in state ? { arguments: state.arguments } : {}
}
