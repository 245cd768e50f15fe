/**
 * What a Worker reads of the known clients, by the name in `clientInfo`: how much text of a result they pass on to the
 * model, and how long they wait for a call. A name changes no list and no decision: directories refuse servers that do.
 * `profiles.ts` has everything else.
 */
import type { CallToolResult } from '../protocol/primitives.ts'

/** `bytes` are those of UTF-8. */
export interface ClientResultLimit {
  readonly limit: number
  readonly unit: 'characters' | 'bytes' | 'tokens'
}

/** @see https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers */
const CLAUDE: ClientResultLimit = { limit: 150_000, unit: 'characters' }

/** @see https://code.claude.com/docs/en/mcp#mcp-output-limits-and-warnings */
const CLAUDE_CODE: ClientResultLimit = { limit: 25_000, unit: 'tokens' }

/**
 * 10,000 tokens, which Codex counts as four bytes each.
 *
 * @see https://github.com/openai/codex/blob/main/codex-rs/models-manager/models.json
 */
const CODEX: ClientResultLimit = { limit: 40_000, unit: 'bytes' }

/** @see https://github.com/microsoft/vscode/pull/329276 for the limit, https://github.com/github/copilot-cli/issues/1268 for the name */
const COPILOT_CLI: ClientResultLimit = { limit: 20 * 1024, unit: 'bytes' }

/** @see https://github.com/google-gemini/gemini-cli/pull/19365 */
const GEMINI_CLI: ClientResultLimit = { limit: 40_000, unit: 'characters' }

/** @see https://github.com/aaif-goose/goose/blob/main/crates/goose/src/agents/large_response_handler.rs */
const GOOSE: ClientResultLimit = { limit: 200_000, unit: 'characters' }

/** @see https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/tool/truncate.ts */
const OPENCODE: ClientResultLimit = { limit: 50 * 1024, unit: 'bytes' }

/** @see https://github.com/QwenLM/qwen-code/pull/2446 */
const QWEN: ClientResultLimit = { limit: 25_000, unit: 'characters' }

/** By the name in `clientInfo`, in lower case. It is what the client says of itself. */
const LIMITS: ReadonlyMap<string, ClientResultLimit> = new Map([
  ['anthropic', CLAUDE],
  ['anthropic/claudeai', CLAUDE],
  ['claude-ai', CLAUDE],
  ['claude-code', CLAUDE_CODE],
  ['codex-mcp-client', CODEX],
  ['github-copilot-developer', COPILOT_CLI],
  ['gemini-cli-mcp-client', GEMINI_CLI],
  ['goose', GOOSE],
  ['goose-cli', GOOSE],
  ['goose-desktop', GOOSE],
  ['opencode', OPENCODE],
  ['qwen-code', QWEN],
])

/**
 * How long a call of a client is held at most, in milliseconds, by the same names: less than the client waits for it.
 * A client that is not in the table waits for a minute at least, the default of the official SDKs.
 *
 * @see https://github.com/modelcontextprotocol/typescript-sdk/issues/2250 for the default of a minute
 */
const HOLD_MS: ReadonlyMap<string, number> = new Map([
  // 30 seconds. https://github.com/janhq/jan/blob/dev/src-tauri/src/core/mcp/constants.rs
  ['jan streamable client', 20_000],
])

/** How long a call may be held, in milliseconds: `defaultMs`, unless its client waits for less. */
export function holdMsOf(clientName: string | undefined, defaultMs: number): number {
  return Math.min(HOLD_MS.get(clientName?.toLowerCase() ?? '') ?? defaultMs, defaultMs)
}

/** Qwen Code appends the name of the server. */
const QWEN_PREFIX = 'qwen-cli-mcp-client-'

/** Bytes of UTF-8 that are about a token: of English text rather more, of other text about three. */
const BYTES_PER_TOKEN = 3

/** Most bytes of UTF-8 of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3

/**
 * Length in UTF-16 code units. A result that is not longer as JSON text is within the limit of every
 * client, so it needs no measurement.
 */
export const SAFE_RESULT_LENGTH = Math.min(...Array.from(LIMITS.values(), shortestOver))

function shortestOver(known: ClientResultLimit): number {
  if (known.unit === 'characters') return known.limit
  return Math.floor(bytesOf(known) / MAX_BYTES_PER_UNIT)
}

/** How many bytes of UTF-8 are within the limit for any text: a character has at least one byte. */
function bytesOf({ limit, unit }: ClientResultLimit): number {
  return unit === 'tokens' ? limit * BYTES_PER_TOKEN : limit
}

/** Returns how many bytes of text a client passes on; undefined for a client that is not known. */
export function clientResultBytes(clientName: string | undefined): number | undefined {
  const known = clientResultLimit(clientName)
  return known && bytesOf(known)
}

export interface OverClientLimit extends Pick<ClientResultLimit, 'limit' | 'unit'> {
  /** The size of the text of the result; in tokens, an estimate. */
  readonly measured: number
}

/**
 * Returns by how much a result exceeds the limit of its client; undefined when it does not, and for a
 * client that is not known.
 */
export function overClientLimit(
  clientName: string | undefined,
  { content }: Pick<CallToolResult, 'content'>,
): OverClientLimit | undefined {
  const known = clientResultLimit(clientName)
  if (known === undefined) return undefined
  const { limit, unit } = known
  const texts = content.map((block) =>
    block.type === 'text'
      ? block.text
      : block.type === 'resource'
        ? (block.resource.text ?? '')
        : '',
  )
  const measured = texts.reduce((sum, text) => sum + sizeIn(unit, text), 0)
  return measured > limit ? { limit, unit, measured } : undefined
}

/** Undefined for a client that is not known. */
export function clientResultLimit(clientName = ''): ClientResultLimit | undefined {
  const name = clientName.toLowerCase()
  return LIMITS.get(name) ?? (name.startsWith(QWEN_PREFIX) ? QWEN : undefined)
}

/** The size of a text in a unit; in tokens, an estimate. */
export function sizeIn(unit: ClientResultLimit['unit'], text: string): number {
  if (unit === 'characters') return text.length
  const { byteLength } = new TextEncoder().encode(text)
  return unit === 'bytes' ? byteLength : Math.ceil(byteLength / BYTES_PER_TOKEN)
}
