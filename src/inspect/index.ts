/** The entry `edgeway/inspector`. */
export { type InspectorFeature, inspector } from '../features/inspector/inspector.ts'
export type { InspectorOptions } from './inspector-config.ts'
