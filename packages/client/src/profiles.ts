/**
 * The clients that `edgeway/testing` plays and the doctor compares a definition with: what each sends and bears. No Worker
 * imports it: what a Worker reads is in `limits.ts`, and what it accepts and answers follows capabilities alone.
 */

import { type ClientResultLimit, clientResultLimit } from '../../../src/clients/limits.ts'
import type { ClientCapabilities } from '../../../src/protocol/capabilities.ts'
import type { Implementation } from '../../../src/protocol/content.ts'
import type { RevisionId } from '../../../src/protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../../src/protocol/tasks.ts'
import type { ClientName } from './names.ts'

export const PROFILE_NAMES = [
  'claude-code',
  'chatgpt',
  'claude',
  'codex',
  'gemini-cli',
  'vscode',
] as const

export type ProfileName = (typeof PROFILE_NAMES)[number]

export interface ClientProfile {
  readonly title: ClientName
  /** As in `initialize`, or in `_meta` of each request. */
  readonly clientInfo: Implementation
  /** The revision in which it speaks to a server that has all of them. */
  readonly revision: RevisionId
  readonly capabilities: ClientCapabilities
  /** How long it waits for the result of a call, in milliseconds; undefined for one that waits without end. */
  readonly callTimeoutMs: number | undefined
  /** Whether progress begins that time anew. */
  readonly progressResetsTimeout: boolean
  /** The text of a result that it passes on to the model; undefined where no limit is known. */
  readonly resultLimit: ClientResultLimit | undefined
  /** The UTF-16 code units of an input schema above which it drops the tool; undefined where none are known. */
  readonly inputSchemaLength: number | undefined
  /** Whether its requests name the session that `initialize` has opened. */
  readonly echoesSessionId: boolean
  /**
   * How it runs calls as tasks: those that the server makes tasks (2026-07-28), or each call of a tool that supports tasks,
   * by `params.task` (2025-11-25). Undefined for a client without tasks.
   */
  readonly tasks: 'extension' | 'params' | undefined
  /** Whether it opens a GET stream after `initialize`. */
  readonly opensStream: boolean
  /** When it was last seen, and in which version. Of a client without one, which is hosted, reports and documents were read. */
  readonly seen: { readonly on: string; readonly version?: string }
}

const VIEWS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

/** What most clients do. */
const COMMON = {
  progressResetsTimeout: false,
  inputSchemaLength: undefined,
  echoesSessionId: true,
  tasks: undefined,
} satisfies Partial<ClientProfile>

type Row = Omit<ClientProfile, 'clientInfo' | 'resultLimit' | keyof typeof COMMON> &
  Partial<ClientProfile> & {
    /** That of `clientInfo`, whose version is the one that was seen. */
    readonly name: string
  }

const ROWS: Readonly<Record<ProfileName, Row>> = {
  // A session with a person, last seen in 2.1.330. `claude -p`, seen in 2.1.332, does not declare the extension.
  'claude-code': {
    title: 'Claude Code',
    name: 'claude-code',
    seen: { on: '2026-11-29', version: '2.1.332' },
    revision: '2026-07-28',
    capabilities: {
      roots: { listChanged: true },
      elicitation: { form: {}, url: {} },
      extensions: { [TASKS_EXTENSION]: {} },
    },
    callTimeoutMs: 300_000,
    progressResetsTimeout: true,
    tasks: 'extension',
    opensStream: true,
    // https://code.claude.com/docs/en/mcp
    // https://github.com/vfarcic/dot-ai/issues/708
  },
  // A hosted client, whose revision and limits are not published. Calls are reported to end after a minute.
  chatgpt: {
    title: 'ChatGPT',
    name: 'openai-mcp',
    seen: { on: '2026-11-20' },
    revision: '2025-11-25',
    capabilities: { elicitation: {}, extensions: VIEWS },
    callTimeoutMs: 60_000,
    opensStream: false,
    // https://developers.openai.com/apps-sdk
  },
  // claude.ai, with Desktop and mobile. Five minutes are documented, and a minute is what people see. With `server/discover`
  // it speaks 2026-07-28 too; this is the harder of both: no request names its session.
  claude: {
    title: 'Claude (web)',
    name: 'Anthropic/ClaudeAI',
    seen: { on: '2026-11-20' },
    revision: '2025-11-25',
    capabilities: { extensions: VIEWS },
    callTimeoutMs: 60_000,
    inputSchemaLength: 16_384,
    echoesSessionId: false,
    opensStream: false,
    // https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers
    // https://github.com/anthropics/claude-ai-mcp/issues/115
    // https://github.com/anthropics/claude-ai-mcp/issues/975
    // https://github.com/anthropics/claude-code/issues/77296
  },
  codex: {
    title: 'Codex',
    name: 'codex-mcp-client',
    seen: { on: '2026-11-28', version: '0.171.0' },
    revision: '2025-06-18',
    capabilities: { elicitation: { form: {}, url: {} } },
    // `tool_timeout_sec` of a server. Earlier versions waited for one and for two minutes.
    callTimeoutMs: 300_000,
    opensStream: true,
    // https://github.com/openai/codex/blob/main/codex-rs/codex-mcp/src/rmcp_client.rs
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    name: 'gemini-cli-mcp-client',
    seen: { on: '2026-11-23', version: '0.61.0' },
    revision: '2025-06-18',
    capabilities: { roots: { listChanged: true } },
    callTimeoutMs: 600_000,
    opensStream: true,
    // https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/mcp-client.ts
  },
  vscode: {
    title: 'VS Code',
    name: 'Visual Studio Code',
    seen: { on: '2026-11-20', version: '1.115.0' },
    revision: '2025-11-25',
    capabilities: {
      roots: { listChanged: true },
      sampling: {},
      elicitation: { form: {}, url: {} },
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
      extensions: VIEWS,
    },
    // A call ends when the person cancels it.
    callTimeoutMs: undefined,
    tasks: 'params',
    opensStream: true,
    // https://github.com/microsoft/vscode/issues/308766
    // https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpServerRequestHandler.ts
  },
}

export const PROFILES: Readonly<Record<ProfileName, ClientProfile>> = Object.fromEntries(
  PROFILE_NAMES.map((name) => {
    const { name: clientName, ...row } = ROWS[name]
    const clientInfo = { name: clientName, version: row.seen.version ?? '1.0.0' }
    return [name, { ...COMMON, ...row, clientInfo, resultLimit: clientResultLimit(clientName) }]
  }),
) as Record<ProfileName, ClientProfile>
