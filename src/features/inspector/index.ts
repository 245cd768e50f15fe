/** The entry `edgeway/inspector`. */
export { type InspectorFeature, inspector } from './inspector.ts'
export type { InspectorOptions } from './inspector-config.ts'
