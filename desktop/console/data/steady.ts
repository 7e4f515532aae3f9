/** A computation that answers what it answered before while that is the same: what rests on it is not drawn anew. */
export function steady<Value>(
  compute: () => Value,
  isSame: (before: Value, after: Value) => boolean,
): () => Value {
  let last: { value: Value } | null = null;
  return () => {
    const value = compute();
    if (last === null || !isSame(last.value, value)) last = { value };
    return last.value;
  };
}
