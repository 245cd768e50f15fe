/** `edgeway/view/react`: the state of a view in a component of React. */
import { useSyncExternalStore } from 'react'
import type { NameOf, ToolMap } from './tool-map.ts'
import type { View, ViewState } from './view.ts'

/** Renders the component again after each change of the state. */
export function useView<Tools extends ToolMap<Tools>, Own extends NameOf<Tools>>(
  view: View<Tools, Own>,
): ViewState<Tools, Own> {
  return useSyncExternalStore(view.watch, () => view.state)
}
