/** The JSON-RPC messages, with the members that these tests check. */

export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly progress?: number
    readonly progressToken?: string | number
    readonly message?: string
    readonly data?: unknown
    readonly uri?: string
    readonly requestId?: string | number
    readonly taskId?: string
    readonly status?: string
  }
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: { readonly value?: unknown }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Summarizes a message in a few words, so that whole streams can be compared. */
export function brief({ id, method, params, result, error }: Message): string {
  switch (method) {
    case 'notifications/progress':
      return `progress ${params?.progress}`
    case 'notifications/resources/updated':
      return `updated ${params?.uri}`
    case 'notifications/message':
      return `log ${String(params?.data).slice(0, 20)}`
    case 'elicitation/create':
      return `ask ${params?.message}`
    case undefined:
      break
    default:
      return method.replace('notifications/', '')
  }
  if (error !== undefined) return `error ${id} ${error.code}`
  const text = result?.content?.map((block) => block.text).join('\n') ?? ''
  return `${result?.isError === true ? 'failed' : 'result'} ${id} ${text.slice(0, 60)}`.trim()
}

export const INTERRUPTED =
  'The server was interrupted while this call was running. ' +
  'Part of its work may have been done: check before repeating the call.'
