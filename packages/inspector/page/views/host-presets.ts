/** What hosts lack, as documented: `docs/guides/apps.md` has the whole table. Others have no documented difference. */
import type { CAPABILITY_NAMES } from '../../../view/src/host/view-host.ts'

/** What a host may lack beside the mode inline. */
export const DISPLAY_MODES = ['fullscreen', 'pip'] as const

export type Lack = (typeof CAPABILITY_NAMES)[number] | (typeof DISPLAY_MODES)[number]

export interface HostPreset {
  readonly title: string
  readonly lacks: readonly Lack[]
  /** The largest document that it shows. */
  readonly maxBytes: number
  readonly showsViews: boolean
  readonly source: string
}

/** The day on which the sources were read. */
export const SEEN = '2026-11-30'

const MIB = 1024 * 1024

const COMPLETE: HostPreset = {
  title: 'Claude, ChatGPT, Postman, MCPJam',
  lacks: [],
  maxBytes: 4 * MIB,
  showsViews: true,
  source: 'https://modelcontextprotocol.io/extensions/client-matrix',
}

export const HOST_PRESETS: readonly HostPreset[] = [
  COMPLETE,
  {
    ...COMPLETE,
    title: 'VS Code',
    lacks: ['fullscreen', 'pip'],
    source: 'https://github.com/microsoft/vscode/pull/290483',
  },
  {
    ...COMPLETE,
    title: 'Goose',
    lacks: ['updateModelContext'],
    source: 'https://github.com/aaif-goose/goose/issues/8017',
  },
  {
    ...COMPLETE,
    title: 'Continue',
    lacks: ['serverResources', 'updateModelContext'],
    source: 'https://github.com/continuedev/continue/pull/10132',
  },
  {
    ...COMPLETE,
    title: 'LibreChat',
    source:
      'https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_app_sandbox',
  },
  {
    ...COMPLETE,
    title: 'Qwen Code',
    maxBytes: MIB,
    source: 'https://github.com/QwenLM/qwen-code/pull/12258',
  },
  {
    ...COMPLETE,
    title: 'GitHub Copilot app',
    showsViews: false,
    source: 'https://github.com/github/app/discussions/5705',
  },
]
