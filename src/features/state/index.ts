/** `edgeway/state`: the feature, its options and its types. */

export {
  type KeyedState,
  type StateCondition,
  type StateContext,
  StateError,
  type StateErrorReason,
  type StateLifetime,
} from '../../server/state.ts'
export { type State, state } from './state.ts'
