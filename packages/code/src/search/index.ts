/** `edgeway/search`. */
export type { ListClient } from '../../../../src/internal.ts'
export { type PinnedTool, type SearchNames, type SearchOptions, TOOL_SEARCH } from './options.ts'
export { type Search, search } from './search.ts'
