/** Converts a response of the API to the result of a tool. */
import type { ContentBlock } from '../../../../src/protocol/content.ts'
import { jsonText } from '../../../../src/protocol/json.ts'
import type { ReturnedToolResult } from '../../../../src/protocol/primitives.ts'
import { type CompiledSchema, describeIssues } from '../../../../src/server/schema/compile.ts'
import { cut } from '../request/operation-arguments.ts'
import type { ApiResponse } from '../request/send-request.ts'
import type { NextPage } from './next-page.ts'
import { type BinaryBody, type ResponseBody, readBody } from './read-body.ts'

/** Maximum length of the body of an error that a result quotes, in UTF-16 code units. */
const MAX_ERROR_LENGTH = 4_000

/** Maximum length of a `Location` that a result quotes, in UTF-16 code units. */
const MAX_LOCATION_LENGTH = 2_000

/** The member of `_meta` with the arguments of the next page. */
const NEXT_PAGE_META = 'edgeway/next-page'

export interface ResultOptions {
  readonly redact: (text: string) => string
  readonly nextPage: NextPage | undefined
  /** The schema that the tool declares; undefined if it declares none. */
  readonly output: CompiledSchema | undefined
  readonly maxBytes: number
}

/** Any status below 400 is a success: what it means is for the model. */
export async function toToolResult(
  response: ApiResponse,
  options: ResultOptions,
): Promise<ReturnedToolResult> {
  const { redact, maxBytes } = options
  const { status, headers, bytes } = response
  if (bytes === undefined) {
    return failure(
      `The API answered with status ${status}, but its body is larger than ${maxBytes} bytes. Ask for less at once, such as a smaller page.`,
    )
  }
  const body = readBody(bytes, headers.get('content-type'), redact)
  if (status >= 400) return failure(describeError(response, body, redact))
  const location = locationOf(headers, redact)
  if (status >= 300 && location !== undefined) {
    return success(`The API answered with status ${status}: the result is at ${location}`, options)
  }
  return toSuccess(response, body, options)
}

function failure(text: string): ReturnedToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function describeError(
  { status, headers }: ApiResponse,
  body: ResponseBody,
  redact: (text: string) => string,
): string {
  const lines = [`The API answered with status ${status}.`]
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) lines.push(`Retry after: ${cut(redact(retryAfter), 100)}`)
  if (body.kind === 'json' || body.kind === 'text') lines.push(cut(body.text, MAX_ERROR_LENGTH))
  return lines.join('\n')
}

function locationOf(headers: Headers, redact: (text: string) => string): string | undefined {
  const location = headers.get('location')
  return location === null ? undefined : cut(redact(location), MAX_LOCATION_LENGTH)
}

/** A success without a value of the declared schema is an error for clients, which require one. */
function success(text: string, { output, nextPage }: ResultOptions): ReturnedToolResult {
  return {
    content: [{ type: 'text', text }, ...pageBlocks(nextPage)],
    ...(output === undefined ? undefined : { isError: true }),
    ...metaOf(nextPage),
  }
}

/** Without it, a model repeats a call that was carried out. */
const mismatch = (status: number) =>
  `The API answered with status ${status}. Its body does not match its description, so do not repeat the call:`

/** A success without JSON. */
function noValue(text: string, status: number, options: ResultOptions): ReturnedToolResult {
  return success(options.output === undefined ? text : `${mismatch(status)}\n${text}`, options)
}

async function toSuccess(
  { status, headers, url }: ApiResponse,
  body: ResponseBody,
  options: ResultOptions,
): Promise<ReturnedToolResult> {
  const { nextPage, output, redact } = options
  switch (body.kind) {
    case 'empty': {
      const location = locationOf(headers, redact)
      const where = location === undefined ? '' : ` Location: ${location}`
      return noValue(`The API answered with status ${status} and no body.${where}`, status, options)
    }
    case 'text':
      return noValue(body.text, status, options)
    case 'json': {
      const issues = (await output?.validate(body.value))?.issues
      const { text } = body
      if (issues !== undefined) {
        return failure(`${mismatch(status)}\n${describeIssues(issues)}\n${text}`)
      }
      return {
        content: [{ type: 'text', text }, ...pageBlocks(nextPage)],
        ...(typeof body.value === 'object' && body.value !== null
          ? { structuredContent: body.value }
          : undefined),
        ...metaOf(nextPage),
      }
    }
    default:
      return output === undefined
        ? { content: [binaryBlock(body, url)] }
        : {
            content: [{ type: 'text', text: mismatch(status) }, binaryBlock(body, url)],
            isError: true,
          }
  }
}

function binaryBlock({ kind, base64, mediaType }: BinaryBody, url: URL): ContentBlock {
  if (kind !== 'binary') return { type: kind, data: base64, mimeType: mediaType }
  // The query may contain credentials.
  const uri = `${url.origin}${url.pathname}`
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: base64 } }
}

function pageBlocks(nextPage: NextPage | undefined): ContentBlock[] {
  if (nextPage === undefined) return []
  return [{ type: 'text', text: `There is a next page: call again with ${jsonText(nextPage)}` }]
}

function metaOf(nextPage: NextPage | undefined) {
  return nextPage === undefined ? undefined : { _meta: { [NEXT_PAGE_META]: nextPage } }
}
