/** A promise that the test settles; Node has one by itself from version 22 on. */
export function deferred<T = void>() {
  const settled: ((value: T) => void)[] = [];
  const promise = new Promise<T>((resolve) => {
    settled.push(resolve);
  });
  return { promise, resolve: (value: T) => settled[0]?.(value) };
}
