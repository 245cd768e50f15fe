/** The directories that `edgeway doctor --for` and `edgeway submit` know. */

export const DIRECTORY_NAMES = ['claude-directory', 'openai-plugins', 'mcp-registry'] as const

export type DirectoryName = (typeof DIRECTORY_NAMES)[number]
