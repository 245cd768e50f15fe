/** `edgeway/changes`: the feature, its options and its types. */
export type { ChangeBusOptions } from '../../../durable-objects/hub/change-bus-options.ts'
export { type Changes, type ChangesApi, changes } from './changes.ts'
