/** The entry `edgeway/inspector`. */
export { type InspectorFeature, type InspectorOptions, inspector } from './inspector.ts'
