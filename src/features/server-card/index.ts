/** `edgeway/server-card`: the feature, its options and its types. */
export type {
  CardHeader,
  CardInput,
  CardRepository,
  CatalogHost,
  ServerCardOptions,
} from './options.ts'
export { type ServerCardFeature, serverCard } from './server-card.ts'
