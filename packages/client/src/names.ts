/** The clients that the doctor and the catalogue of faults know, by the name that people know them by. */
export const CLIENT_NAMES = [
  'Claude (web)',
  'Claude Desktop',
  'Claude Code',
  'ChatGPT',
  'VS Code',
  'Cursor',
  'Codex',
  'Gemini CLI',
  'Inspector',
] as const

export type ClientName = (typeof CLIENT_NAMES)[number]

/** The clients that send `server/discover` before anything else. */
export const MODERN: readonly ClientName[] = ['Claude (web)', 'Claude Desktop', 'Claude Code']

/**
 * What `edgeway doctor` and other commands that examine a server send as `User-Agent`, whichever client they play. A request
 * with the `User-Agent` of a client has a header of this name.
 */
export const DOCTOR = 'edgeway-doctor'
