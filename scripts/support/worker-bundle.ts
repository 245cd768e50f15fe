/** A Worker ready to run: its code in one module, and what its configuration asks of the runtime. */

export interface DurableObjectBinding {
  readonly binding: string
  readonly className: string
  readonly sqlite: boolean
}

export interface WorkerBundle {
  readonly name: string
  /** The entry point first. */
  readonly modules: readonly { readonly name: string; readonly source: string }[]
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly vars: Readonly<Record<string, string>>
  readonly durableObjects: readonly DurableObjectBinding[]
}
