/** Reads the OpenAPI description of a new server, from a file or a URL. */
import { readFileSync, statSync } from 'node:fs'
import { useFile } from '../../../text/src/files/file-error.ts'
import type { Members } from '../../../text/src/json/members.ts'

export interface ApiDescription {
  /** The description as JSON. */
  readonly text: string
  /** Whether it declares credentials. */
  readonly needsKey: boolean
  /** The URL in front of the path of its first operation, as it can stand in a text in single quotes. */
  readonly baseUrl: string
  /** How many tools it becomes. */
  readonly operations: number
}

/** The tools of `starter/base/src/tools.ts`. */
const OWN_TOOLS = ['roll_dice', 'book_table']

const MAX_DESCRIPTION_BYTES = 10 * 1024 * 1024
const DOWNLOAD_TIMEOUT_MS = 30_000

/** @throws {Error} for a source that cannot be read, and for a file that is no OpenAPI 3.0 or 3.1 description in JSON */
export async function readApiDescription(source: string): Promise<ApiDescription> {
  const isUrl = /^https?:\/\//i.test(source)
  const text = isUrl ? await download(source) : readFile(source)
  const description = parse(text, source)
  if (typeof description.openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(description.openapi)) {
    const advice =
      description.swagger === undefined
        ? ''
        : ` Convert Swagger 2.0 first: npx swagger2openapi ${source} -o description.json.`
    throw new Error(`${source} is no OpenAPI 3.0 or 3.1 description.${advice} Nothing was written.`)
  }
  const served = { ...description, servers: serversOf(description, isUrl ? source : undefined) }
  const operations = await operationsOf(served, source)
  const [{ baseUrl = '' } = {}] = operations
  const { securitySchemes } = recordOf(description.components)
  return {
    text: textOf(served, source),
    needsKey: Object.keys(recordOf(securitySchemes)).length > 0,
    // A URL may contain the quote.
    baseUrl: baseUrl.replaceAll("'", '%27'),
    operations: operations.length,
  }
}

/**
 * The operations that become tools of the description, which is read as the server reads it at its start.
 *
 * @throws {Error} for a description with which the server would not start
 */
async function operationsOf(description: object, source: string) {
  const { prepareOpenAPI } = await import('../../../openapi/src/prepare-openapi.ts')
  try {
    const api = prepareOpenAPI(description, { onUnsupported: 'skip' })
    const [fault] = api.skipped
    if (fault !== undefined) throw new Error(`${fault.operation}: ${fault.reason}`)
    const names = api.operations.map(({ name }) => name)
    if (names.length === 0) throw new Error('no operation becomes a tool; deprecated ones do not')
    const own = names.find((name) => OWN_TOOLS.includes(name))
    if (own !== undefined) throw new Error(`the new server has a tool ${own} of its own: rename it`)
    api.server()
    return api.operations
  } catch (error) {
    const { message } = error as Error
    throw new Error(
      `${source} cannot be served: ${message}. Correct it first; a description with relative URLs of servers can be given by its URL. Nothing was written.`,
      { cause: error },
    )
  }
}

function textOf(description: object, source: string): string {
  try {
    return `${JSON.stringify(description, undefined, 2)}\n`
  } catch (error) {
    // JSON is read at any depth, and written as deep as the stack.
    throw new Error(`${source} is nested too deeply. Nothing was written.`, { cause: error })
  }
}

function parse(text: string, source: string): Members {
  try {
    // A file may begin with a byte order mark.
    return recordOf(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    throw new Error(
      `${source} is no JSON. Convert YAML first: npx @redocly/cli bundle ${source} -o description.json. Nothing was written.`,
    )
  }
}

/** The servers, with relative URLs resolved against the URL of the description. */
function serversOf({ servers }: Members, base: string | undefined): unknown {
  if (base === undefined) return servers
  // Without servers, the default is one with the URL `/` (OpenAPI 3.1 §4.8.1).
  const list = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: '/' }]
  return list.map((server) => {
    const { url } = recordOf(server)
    const isRelative = typeof url === 'string' && !/^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url)
    if (!isRelative || !URL.canParse(url, base)) return server
    return { ...recordOf(server), url: new URL(url, base).href.replace(/\/$/, '') }
  })
}

function recordOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function readFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new Error(`There is no file ${path}. Nothing was written.`)
  if (found.size > MAX_DESCRIPTION_BYTES) throw tooLarge(path)
  return useFile(path, 'read', () => readFileSync(path, 'utf8'))
}

async function download(url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength
      if (size > MAX_DESCRIPTION_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    const { message, cause } = error as Error
    // The message of `fetch` does not say what has failed.
    const reason = cause instanceof Error ? cause.message || 'no connection' : message
    throw new Error(`${url} cannot be read: ${reason}. Nothing was written.`, { cause: error })
  }
  if (size > MAX_DESCRIPTION_BYTES) throw tooLarge(url)
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(source: string): Error {
  return new Error(
    `${source} is larger than ${MAX_DESCRIPTION_BYTES / 1024 / 1024} MiB, which a Worker would read at each start. Leave out the paths that you do not serve. Nothing was written.`,
  )
}
