/** `edgeway/state`: the feature, its options and its types. */

export * from '../../server/state.ts'
export { type State, type StateOptions, state } from './state.ts'
