/** `edgeway/changes`: the feature, its options and its types. */
export type { ChangesOptions } from '../../../durable-objects/hub/changes-options.ts'
export { type Changes, type ChangesApi, changes } from './changes.ts'
