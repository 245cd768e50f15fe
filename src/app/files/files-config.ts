/** The option `files` as the app sees it. Types alone: an app without the option bundles no code of it. */
import type { CreateFileStore } from '../../../durable-objects/services.ts'
import type { Call } from '../../dispatch/call.ts'
import type { FileOperations } from '../../dispatch/files/file-port.ts'
import type { Route } from '../router.ts'
import type { SecretRouteOptions } from '../webhook-route.ts'

/** The value of `files()`, for the option `files` of `createEdgeway`. */
export interface FilesConfig {
  readonly type: 'files'
  /** @internal */
  readonly operations: FileOperations<Call>
  /** @internal */
  readonly createStore: CreateFileStore
  /** @internal The routes of downloads and uploads. */
  create(options: FileRoutesOptions): readonly Route[]
}

export interface FileRoutesOptions extends SecretRouteOptions {
  /** For people. */
  readonly serverName: string
}
