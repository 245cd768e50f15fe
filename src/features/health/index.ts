/** `edgeway/health`: the feature, its options and its types. */
export { type Health, type HealthOptions, health } from './health.ts'
