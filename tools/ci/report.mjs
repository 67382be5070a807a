const count = { passed: 0, failed: 0, skipped: 0 };

/**
 * Prints how a check ends: passed, with what `body` returns behind its name, or failed, with what it
 * threw. Returns whether it passed.
 *
 * @param {string} name
 * @param {() => string | void} body
 */
export function check(name, body) {
  try {
    const note = body();
    count.passed += 1;
    console.log(`ok       ${note ? `${name}: ${note}` : name}`);
    return true;
  } catch (error) {
    count.failed += 1;
    console.log(`FAILED   ${name}\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/**
 * @param {string} name
 * @param {string | undefined} why
 */
export function skip(name, why) {
  count.skipped += 1;
  console.log(`skipped  ${name} (${why})`);
}

export function printTally() {
  console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  process.exitCode = count.failed === 0 ? 0 : 1;
}
