/** Reads the OpenAPI description of a new server, from a file or a URL. */
import { readFileSync, statSync } from 'node:fs'
import type { Members } from '../doctor/text.ts'
import { useFile } from '../files/file-error.ts'

export interface ApiDescription {
  /** The description as JSON. */
  readonly text: string
  /** Whether it declares credentials. */
  readonly needsKey: boolean
  /** How many tools it becomes, about. */
  readonly operations: number
}

const MAX_DESCRIPTION_BYTES = 10 * 1024 * 1024
const DOWNLOAD_TIMEOUT_MS = 30_000

/** @throws {Error} for a source that cannot be read, or that is no OpenAPI 3.0 or 3.1 description in JSON */
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
  const servers = serversOf(description, isUrl ? source : undefined)
  if (servers === undefined) {
    throw new Error(
      `The first of the servers in ${source} has no absolute URL, so its tools would not know where to send requests. Write the URL of the API into "servers", or give the URL of the description. Nothing was written.`,
    )
  }
  const file = outerReference(description)
  if (file !== undefined) {
    throw new Error(
      `${source} refers to another file, ${JSON.stringify(file.slice(0, 200))}. Join the files first: npx @redocly/cli bundle ${source} -o description.json. Nothing was written.`,
    )
  }
  const { securitySchemes } = recordOf(description.components)
  return {
    text: `${JSON.stringify({ ...description, servers }, undefined, 2)}\n`,
    needsKey: Object.keys(recordOf(securitySchemes)).length > 0,
    operations: countOperations(description),
  }
}

/** The first reference out of the document, which the server would refuse at its start. Examples may have any members. */
function outerReference(description: object): string | undefined {
  // Not by recursion: a description may be deeper than the stack.
  const open: object[] = [description]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const [key, value] of Object.entries(at)) {
      if (key === '$ref' && typeof value === 'string' && !value.startsWith('#')) return value
      const isData = /^(?:x-|examples?$|default$|enum$|const$)/.test(key)
      if (!isData && typeof value === 'object' && value !== null) open.push(value)
    }
  }
  return undefined
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

function countOperations({ paths }: Members): number {
  const items = Object.values(recordOf(paths)).map((item) => Object.entries(recordOf(item)))
  const found = items.flat().filter(([method, operation]) => {
    return METHODS.includes(method) && recordOf(operation).deprecated !== true
  })
  return found.length
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
function serversOf({ servers }: Members, base: string | undefined): readonly unknown[] | undefined {
  // Without servers, the default is one with the URL `/` (OpenAPI 3.1 §4.8.1).
  const list = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: '/' }]
  const resolved = list.map((server) => {
    const { url } = recordOf(server)
    const isRelative = typeof url === 'string' && !/^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url)
    if (base === undefined || !isRelative || !URL.canParse(url, base)) return server
    return { ...recordOf(server), url: new URL(url, base).href.replace(/\/$/, '') }
  })
  return /^https?:\/\//i.test(withDefaults(resolved[0])) ? resolved : undefined
}

/** The URL of a server with the defaults of its variables. */
function withDefaults(server: unknown): string {
  const { url, variables } = recordOf(server)
  if (typeof url !== 'string') return ''
  return url.replace(/\{([^{}]*)\}/g, (text, name: string) => {
    const { default: value } = recordOf(recordOf(variables)[name])
    return typeof value === 'string' ? value : text
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
