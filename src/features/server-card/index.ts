/** `edgeway/server-card`: the feature, its options and its types. */
export type * from './options.ts'
export { type ServerCardFeature, serverCard } from './server-card.ts'
