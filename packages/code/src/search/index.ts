/** `edgeway/search`. */
export type { ListClient } from '../../../../src/dispatch/listing/list-view.ts'
export { type SearchNames, type SearchOptions, TOOL_SEARCH } from './options.ts'
export { type Search, search } from './search.ts'
