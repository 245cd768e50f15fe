/** `edgeway/admin`: the feature, its options and its types. */
export type { AdminErrorReason } from '../../../../src/internal.ts'
export { type AdminApi, type AdminFeature, admin } from './admin.ts'
export type { Admin } from './control/admin.ts'
export type {
  AdminGrant,
  AdminHealth,
  AdminSession,
  AdminSubscription,
  AdminTask,
  KeyRotation,
  PersonData,
  PrincipalPlace,
  RevocationResult,
} from './control/views.ts'
export type { AdminOptions } from './endpoint/admin-options.ts'
