/** Reads the OpenAPI description of a new server, from a file or a URL. */
import { readFileSync, statSync } from 'node:fs'
import type { Members } from '../doctor/text.ts'
import { useFile } from '../files/file-error.ts'

export interface ApiDescription {
  /** The description as JSON. */
  readonly text: string
  /** Whether it declares credentials. */
  readonly needsKey: boolean
}

const MAX_DESCRIPTION_BYTES = 10 * 1024 * 1024
const DOWNLOAD_TIMEOUT_MS = 30_000

/** @throws {Error} for a source that cannot be read, or that is no OpenAPI 3.0 or 3.1 description in JSON */
export async function readApiDescription(source: string): Promise<ApiDescription> {
  const isUrl = /^https?:\/\//i.test(source)
  const text = isUrl ? await download(source) : readFile(source)
  const description = parse(text, source)
  if (typeof description.openapi !== 'string' || !/^3\.[01]\./.test(description.openapi)) {
    throw new Error(`${source} is no OpenAPI 3.0 or 3.1 description. Nothing was written.`)
  }
  const servers = serversOf(description, isUrl ? source : undefined)
  if (servers === undefined) {
    throw new Error(
      `The first of the servers in ${source} has no absolute URL, so its tools would not know where to send requests. Nothing was written.`,
    )
  }
  const { securitySchemes } = recordOf(description.components)
  return {
    text: `${JSON.stringify({ ...description, servers }, undefined, 2)}\n`,
    needsKey: Object.keys(recordOf(securitySchemes)).length > 0,
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
function serversOf({ servers }: Members, base: string | undefined): readonly unknown[] | undefined {
  // Without servers, the default is one with the URL `/` (OpenAPI 3.1 §4.8.1).
  const list = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: '/' }]
  const resolved = list.map((server) => {
    const { url } = recordOf(server)
    if (base === undefined || typeof url !== 'string' || !url.startsWith('/')) return server
    return { ...recordOf(server), url: new URL(url, base).href.replace(/\/$/, '') }
  })
  const { url } = recordOf(resolved[0])
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? resolved : undefined
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
    `${source} is larger than ${MAX_DESCRIPTION_BYTES / 1024 / 1024} MiB. Nothing was written.`,
  )
}
