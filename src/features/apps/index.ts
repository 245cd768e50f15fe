/** `edgeway/apps`: the feature, its options and its types. */

export type { ToolAudience, ViewOrigins, ViewPermission } from '../../protocol/apps.ts'
export type { View, ViewOptions } from '../../server/view.ts'
export { type Apps, apps } from './apps.ts'
export { view } from './view.ts'
