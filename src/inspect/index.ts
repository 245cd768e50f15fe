/** The entry `edgeway/inspector`. */
export { inspector } from './inspector.ts'
export type { InspectorConfig, InspectorOptions } from './inspector-config.ts'
