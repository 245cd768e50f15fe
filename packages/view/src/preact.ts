/** `edgeway/view/preact`: the state of a view in a component of Preact. */
import { useEffect, useState } from 'preact/hooks'
import type { NameOf, ToolMap } from './tool-map.ts'
import type { View, ViewState } from './view.ts'

/** Renders the component again after each change of the state. */
export function useView<Tools extends ToolMap<Tools>, Own extends NameOf<Tools>>(
  view: View<Tools, Own>,
): ViewState<Tools, Own> {
  const [state, setState] = useState(view.state)
  useEffect(() => view.watch(setState), [view])
  return state
}
