"""jq programs that the real jq and we must run alike, over the inputs of their group.

Where jq 1.7 (which we follow) and 1.6 differ a program is not here but in test_jq.py, with what 1.7 does.
"""

from __future__ import annotations

VALUES = b"""null true false 0 -1 2.5 "abc" "" [1,2,3] [] {"a":1,"b":[2,{"c":null}]} {} [[1,2],[3]] [{"a":2,"b":"x"},{"a":1,"b":"y"},{"a":2,"b":"z"}] "a,b, c" [null,true,1,"s",[0],{"k":0}]"""

# Each is run on every one of VALUES, under try, so that messages are compared too.
_EVERYWHERE = """
. ;; .a ;; .a.b ;; .a? ;; .[0] ;; .[-1] ;; .["a"] ;; .[1:] ;; .[:1] ;; .[-2:] ;; .[0:2] ;; .[] ;; .[]? ;; [.[]?] ;; .. ;; [..] ;; length ;; utf8bytelength ;; not ;; keys ;; keys_unsorted
;; values ;; type ;; add ;; any ;; all ;; flatten ;; reverse ;; sort ;; unique ;; min ;; max ;; tostring ;; tojson ;; ascii_downcase ;; ascii_upcase ;; explode ;; to_entries
;; map(.) ;; map_values(.) ;; map(. == 1) ;; path(..) ;; [paths] ;; [leaf_paths] ;; [paths(type == "number")] ;; to_entries ;; with_entries(.) ;; del(.[0]?) ;; del(.a?) ;; del(.[]?) ;; has("a") ;; has(0) ;; contains("a")
;; . + 1 ;; . + "x" ;; . + [1] ;; . + {z:1} ;; . + null ;; . - 1 ;; . - [1] ;; . * 2 ;; . * {a:{q:1}} ;; . / 2 ;; . / "," ;; . % 2 ;; -(.) ;; . == . ;; . < 1 ;; . <= "a" ;; . > [] ;; . >= {} ;; . != null
;; [.[]? | numbers] ;; [.[]? | strings] ;; scalars ;; iterables ;; nulls ;; booleans ;; arrays ;; objects ;; select(. != null) ;; first ;; last ;; first(.[]?) ;; [limit(2; .[]?)] ;; isempty(.[]?) ;; [.[]?] | length
;; if . then 1 else 2 end ;; if . == 1 then "a" elif . == 2 then "b" else "c" end ;; . // "d" ;; (.a? // "d") ;; [.[]? // 1] ;; . and true ;; . or false ;; try error catch . ;; try error("x") catch .
;; @text ;; @json ;; @csv ;; @tsv ;; @html ;; @uri ;; @sh ;; @base64 ;; "v: \\(.)" ;; @json "v: \\(.)" ;; @uri "?q=\\(.)" ;; [.[]?|tojson]|join(",") ;; join(",") ;; [splits(", *")] ;; split(",") ;; split(", *"; null) ;; test("b") ;; [match("b";"g")|.offset] ;; capture("(?<x>[a-z])") ;; [scan("[a-z]")] ;; sub("b";"X") ;; gsub("[a-c]";"<\\(.)>") ;; ltrimstr("a") ;; rtrimstr("c") ;; startswith("a") ;; endswith("c")
;; index("b") ;; rindex("b") ;; indices("b") ;; indices(1) ;; inside([1,2,3,4]) ;; [recurse] ;; [recurse(.[]?)] ;; [recurse(.[]?; . != null)] ;; tostream ;; fromstream(tostream) ;; [tostream] ;; group_by(.a) ;; unique_by(.a) ;; sort_by(.a) ;; min_by(.a) ;; max_by(.b) ;; sort_by(.a, .b) ;; sort_by(-.a) ;; transpose ;; implode ;; tonumber ;; fromjson ;; walk(if type == "number" then . + 1 else . end) ;; env | type ;; $ENV | type ;; input_line_number ;; [getpath(["a","b"])?] ;; getpath(["a"]) ;; setpath(["a"]; 9) ;; setpath([0]; 9) ;; delpaths([["a"]]) ;; delpaths([[0]]) ;; .a = 1 ;; .[0] = 1 ;; .a |= 5 ;; .[]? |= 7 ;; .[] |= . ;; .a += 1 ;; .a -= 1 ;; .a *= 2 ;; .a //= 3 ;; .[0] += 1 ;; .[1:] = [9] ;; .[:1] |= map(7)
;; reduce .[]? as $x (0; . + 1) ;; reduce .[]? as $x (null; . + $x) ;; [foreach .[]? as $x (0; . + 1)] ;; [foreach .[]? as $x (0; . + 1; [$x, .])] ;; . as [$a, $b] | [$a, $b] ;; . as {a: $x} | $x ;; . as {$a, b: [$c]} | [$a, $c] ;; .[]? as [$a] ?// $a | [$a] ;; . as $x | [$x, $x] ;; [.[]?] | map(type) ;; {a: .} ;; {a: .[]?} ;; {(.[]? | strings): 1} ;; [., 1] | tojson ;; label $f | .[]? | if . == 2 then break $f else . end ;; [while(type == "array" and length > 0; .[1:])] ;; [.[]?] | until(length < 2; .[1:]) ;; combinations? ;; [.[]? | tostring] ;; ascii_downcase? ;; bsearch(2) ;; floor ;; sqrt ;; pow(.; 2) ;; log ;; exp ;; isnan ;; isinfinite ;; isnormal ;; infinite | . < 1 ;; splits("a") ;; todate ;; gmtime ;; mktime ;; strftime("%Y") ;; strptime("%Y") ;; fromdate ;; in({"abc":1}) ;; in([1,2]) ;; INDEX(.a) ;; IN(1, 2) ;; any(. == 1) ;; all(. == 1) ;; flatten(1) ;; range(.) ;; [range(0; 3)] ;; input_filename ;; ltrimstr(1) ;; @base64d ;; objects // 1 ;; nth(1) ;; [nth(0, 1; .[]?)] ;; map(select(. != null)) ;; ascii? ;; error(.)? ;; .[]?.a? ;; .a[]? ;; ."a"? ;; .["a","b"]? ;; .[(0,1)]? ;; tojson | fromjson ;; [.[]? | select(type == "number" and . > 1)] ;; to_entries? | length ;; del(.[0,1]?) ;; del(.[1:]?) ;; path(.a?) ;; path(.[0]?) ;; [path(.[]?)] ;; try path(1) catch . ;; path(first(.[]?)) ;; [paths(..)] ;; path(getpath(["a","b"])?) ;; path(if .a? then .a else .b? end) ;; path(.a? // .b?) ;; path(select(.a?)) ;; map(in({"a":1})?)? ;; with_entries(.value |= tostring)? ;; from_entries? ;; halt_error? // 1 | 2 ;; $__loc__ ;; [.] | @sh? ;; getpath([]) ;; def f: .; f ;; def f(g): g; f(.) ;; def f($x): $x; f(.) ;; def f(g): [g, g]; f(.[]?) ;; def f($a; $b): [$a, $b]; f(.; 1, 2)
"""
EVERYWHERE: tuple[str, ...] = tuple(_EVERYWHERE.strip("\n").replace("\n", " ").split(" ;; "))

# Each is run once, with null.
ONCE: tuple[str, ...] = tuple(
    line
    for line in r"""
[1,2] | .[0], .[1], .[2]
[(1,2) + (10,20)]
[(1,2) * (3,4)]
[range(5)], [range(2;5)], [range(0;10;3)], [range(5;0;-2)], [range(1;1)]
[range(0,1;3,4)]
[limit(3; range(10))], [first(range(5))], [first(empty)], [last(range(5))], [nth(2; range(5))]
[.[]?], [1,[2,[3]]] | flatten
1 as $x | 2 as $y | [$x, $y, $x + $y]
[1,2,3] as [$a, $b] | {a: $a, b: $b}
{"a":1,"b":{"c":2}} as {a: $x, b: {c: $y}} | [$x, $y]
{"a":1} as {$a} | $a
[[1,2],[3,4]] | .[] as [$a, $b] | {a: $a, $b}
{"k":"a","a":5} as {k: $k} | $k
{"a":"b","b":7} as {"a": $x, ("b"): $y} | [$x, $y]
[[3]] | .[] as [$a] ?// $a | if ($a | type) == "number" then $a else error("x") end
[1,[2,3]] | [.[] as [$a] ?// $a | $a]
[{"a":1},[2]] | [.[] as {a:$x} ?// [$x] | $x]
def f: def g: 3; g; f
def f(x): x * 2; f(1,2)
def f($a; $b): $a + $b; [f(1,2; 10,20)]
def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; [range(10) | fac]
def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; 12 | fib
def f(g): def h: g; h; [f(1,2)]
def f(g): g | g; [3 | f(. as $x | (1,2) | . + $x)]
def f($x): def g: $x; g; f(5)
def f: reduce .[] as $x (0; . + $x); [1,2] | f
def r: if . < 5 then ., (. + 1 | r) else . end; [0 | r]
def f(x): x as $y | [$y]; f(1,2)
def even: if . == 0 then true else . - 1 | if . == 0 then false else . - 1 | even end end; 10 | even
[recurse(if . < 3 then . + 1 else empty end)]
2 | [recurse(. * .; . < 100)]
[1,[2]] | [recurse]
[.[]?] , [..]
reduce range(5) as $i (0; . + $i)
reduce range(5) as $i ([]; . + [$i * 2])
reduce range(4) as $i ({}; .["k\($i)"] = $i)
reduce ("a","b","a") as $k ({}; .[$k] += 1)
reduce empty as $x (0; 1)
reduce (1,2) as $x (0; empty)
reduce ([1,2],[3,4]) as [$a,$b] (0; . + $a * $b)
[foreach range(5) as $i (0; . + $i)]
[foreach range(5) as $i (0; . + $i; [$i, .])]
[foreach (1,2,3) as $x ({}; .a += $x; .a)]
[foreach range(5) as $i (null; $i; select(. % 2 == 0))]
label $out | 1, break $out, 2
[label $out | range(10) | if . > 3 then break $out else . end]
[label $a | label $b | 1, break $a, 2]
[range(5) | select(. != 2)]
[.[]?] | length
try error("x") catch .
try error({a:1}) catch .a
[.[]?, (1 | try error("a") catch "b")]
try (1, error("x"), 3) catch .
[(1,2,3) | try (if . == 2 then error("two") else . end) catch "caught"]
(try error("\($__loc__)") catch .)
error("x")?, 1
[error("x")?]
try ([1] | .a) catch .
try ({} | .[0]) catch .
try (null | keys) catch .
[false, null, 1] | [.[] | . // "d"]
[(false, null, 1) // 42], [(empty) // 42], [(false,null) // (3,4)]
first(empty) // "none"
(1, null, 2) // 3
[1,null,2] | [.[] // "x"]
true and (true, false), (true, false) or false, (true, true) and (true, false)
[true, false | (true, false) or .]
null | not, (true | not), (1 | not)
if 1, null then "a" else "b" end
[if (true, false) then 1, 2 else 3 end]
if null then 1 end
[1,2,3] | .[1:], .[:-1], .[-2:], .[1:2], .[5:], .[:0]
"abcdef" | .[2:4], .[:1], .[-2:]
[0,1,2,3] | [.[(0,1):(2,3)]]
[1,2,3] | .[1:] = [9], .[:1] = [], .[1:2] |= map(. * 2)
[1,2,3] | .[1.7], .[-1], .[10]
{"a":[1,2,{"b":3}]} | .a[2].b, .a[-1].b, .["a"][0], ."a"[1]
{"a b":1} | ."a b", .["a b"]
{"a":{"b":1}} | .a.b, .a["b"], .["a"].b, (.a | .b)
{a:1} + {b:2}, {a:1} * {a:{b:2}}, {a:{b:1}} * {a:{c:2}}
{(1,2 | tostring): 3}
{a: (1,2), b: (3,4)}
{"a b": 1, "c": 2, @base64 "x": 3, "k\(1+1)": 4}
{a: 1 | . + 1}, {a: -1}
1 as $x | {$x, y: $x}, {"a":$x}, {$__loc__}
{if: 1, then: 2, and: 3, def: 4} | .if, .and
[.a?, .b?] , {a, b}
"\(1 + 2) and \("x" + "y")", "a\tb\n\"q\" \\ \u00e9 \ud83d\ude00"
"\(1,2) \(3,4)"
@html "<\("<&>")>", @uri "\("é &")", @csv "\([1,"a\"b"])", @tsv "\(["a\tb",1])", @sh "echo \("it's")", @base64 "\("hi")", @json "x\([1,"a"])"
["a b", "é", "日本"] | map(@uri), map(@base64)
"YWJj" | @base64d
"<a href='x'>\"&" | @html
[1, "it's", null, true] | @sh
[1.5, "a,b", "q\"q", null, true] | @csv, @tsv
"abc" | explode, (explode | implode), length, utf8bytelength
"é日😀" | length, utf8bytelength, explode
"a,b, c" | split(","), split(", "), [splits(", *")], ascii_upcase
"abc" | test("B"), test("B"; "i"), test("b.")
"foo bar foo" | [match("foo"; "g") | .offset], sub("foo"; "x"), gsub("foo"; "x"), gsub("o+"; "0"), gsub("(?<l>[a-z])o"; "\(.l)0")
"test 123 abc" | [scan("[a-z]+")], [scan("([a-z])([0-9a-z])")], capture("(?<word>[a-z]+) (?<num>[0-9]+)")
"xyz" | [match("(y)(q)?").captures[] | .string]
"aXbxc" | [splits("x"; "i")], split("x"; "gi")
"abc" | sub("(?<x>b)"; "[\(.x)]"), sub("b"; "1", "2")
"aé日b" | [match("b|日"; "g") | .offset, .length, .string]
"abc" | ltrimstr("a"), rtrimstr("c"), startswith("ab"), endswith("bc"), ltrimstr("x")
"a,b,a" | index("a"), rindex("a"), indices("a"), index("z")
[1,2,1,3,1,2] | indices(1), indices([1,2]), index(1), rindex(1)
"x" * 3, "x" * 0, "ab" * 1.5, 0 * "x"
"a" + "b", "a" + null, null + "a", null + null
"a,b" / ",", "abc" / ""
[1,2,3,1] - [1], [1,[2]] - [[2]]
7 % 3, -7 % 3, 7 % -3, 5.9 % 3, 5 / 2, 6 / 2, 1 - 2, 3 * 1.5
1 / 3, 2 / 3, 10 / 4, 1e3, 1.50, 100000000000, 0.1 + 0.2, 1e-5, 123456789012
3.0, 3.10, 1e2, 1E2, 0.00001, 1.5e300, 5e-324, 1e15 + 0.5
[1,1.0,1.5] | map(tostring), map(tojson)
1 == 1.0, "a" == "a", [1] == [1.0], {a:1,b:2} == {b:2,a:1}, null == false, 1 == "1", [true] == [1]
1 < 2, "a" < "b", null < false, false < true, true < 0, 0 < "", "" < [], [] < {}, [1] < [2], [1] < [1,0], {a:1} < {a:2}, {a:2} < {b:1}, {b:1} < {a:1,b:0}
[{"b":1},[2],[1,5],"b","a",3,1.5,true,false,null,{"a":2}] | sort
[3,1,2] | sort, sort_by(-.), min, max, add, add / length, unique, reverse, (map(. * 2) | add)
[{"a":1,"b":2},{"a":1,"b":1},{"a":0,"b":9}] | group_by(.a), unique_by(.a), sort_by(.a, .b), min_by(.b), max_by(.b), (map(.a) | unique), sort_by(.b)
[{"n":"x","v":1},{"n":"y","v":2},{"n":"x","v":3}] | group_by(.n) | map({n: .[0].n, s: (map(.v) | add)})
["b","a","B","é","z"] | sort, unique
[[2,1],[1,2],[1]] | sort, min, max
[1,[2,[3,[4]]]] | flatten, flatten(1), flatten(0)
[[1,2],[3],[]] | transpose, add, map(length), (.[0] | combinations?)
[[1,2],[3,4]] | [combinations], ([0,1] | [combinations(2)])
{"a":1,"b":2} | to_entries, keys, length, add, map(. + 1), map_values(. + 1), with_entries(.value += 1), with_entries(select(.value > 1)), to_entries[0].key, has("a"), del(.a), [.[]], map_values(empty), any, all
[{"key":"a","value":1},{"k":"b","v":2},{"name":"c","value":3},{"Name":"d","Value":4}] | from_entries
[{"name":"a","value":null}] | from_entries
{"b":1,"a":2} | keys, keys_unsorted, tojson, tostring, to_entries
[1,2] | has(0), has(2), contains([1]), inside([1,2,3]), index(2), (.[0] | IN(1,2)), IN([1,2],[3])
"foobar" | contains("bar"), inside("xfoobarx")
{"a":[1,{"b":2}],"c":3} | contains({a:[{b:2}]}), contains({a:[9]})
["foobar","baz"] | contains(["bar"]), contains(["x"])
[any(1,2; . == 2), all(1,2; . > 0), any(empty; .), all(empty; .)]
[1,null,2] | any, all, map(values)
{"a":[1,2]} | .a += [3], .a |= map(. + 1), .a[0] = 9, .b.c = 1, .a[5] = 1, .a[-1] = 7, (.a, .b) = 1, .a[] += 1, .["x","y"] = 0
{"a":1} | .a = (2,3), .a += (1,2), .b //= 5, .a //= 5, .a -= 1, .a *= 4, .a /= 2, .a %= 1
{"a":1} | .a |= (2,3), .a |= . + 1, (.a | . + 1)
{"a":null} | .a |= 1, .a //= 2, .b.c |= 3
[1,2,3] | (.[] | select(. > 1)) |= . * 10
[1,2,3] | (.[0], .[2]) |= . + 1, (.[] |= . + 1), (first |= 9), (last |= 9)
[[1,2],[3]] | .[][0] |= 9, .[0] |= map(. + 1), (.. | numbers) |= . + 1
{"a":{"b":1,"c":2}} | del(.a.b), del(.a), del(.x), del(.a.b, .a.c), delpaths([["a","b"],["a","c"]]), to_entries, del(.[])
[1,2,3,4,5] | del(.[0,2]), del(.[1:3]), del(.[-1]), del(.[] | select(. > 3)), delpaths([[0],[1]])
{"a":[{"b":1},{"b":2}]} | [paths], [paths(type == "number")], [leaf_paths], path(.a[0].b), [path(.a[].b)], getpath(["a",1,"b"]), setpath(["a",0,"b"]; 9), [getpath(["a",0,"b"], ["x","y"])]
[path(..)], ([[1]] | [path(..)]), ({"a":1} | path(.a | select(. > 0)))
path(.a | .b), path(.[1:2]), path(.a[1:].b?)
{"a":1} | [path(.a, .b)], [path(.a // .b)], [path(first(.a, .b))], [path(if .a then .a else .b end)]
[[1,[2]],3] | [tostream], fromstream(tostream), [getpath(paths)], [1 | truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])]
fromstream(1 | truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]]))
[1,[2,3]] | tojson, (tojson | fromjson), tostring
"[1,{\"a\":2}]" | fromjson
"1.5", "10", "-3", "1e3" | tonumber
[65, 0x1F600?]
[16, 2.25, 0] | map(sqrt), map(floor), map(pow(.; 2)), map(exp | floor), map(-.)
[1.2, 1.5, -1.5, 2.5, -0.4] | map(floor), map(ceil), map(round), map(trunc), map(fabs), map(rint)
[1,2,10] | map(log | . * 1000 | floor), map(log2 | floor), map(log10), map(exp2), map(exp10)
10 | [significand, logb, frexp, modf, trunc, cbrt, ldexp(.; 2), scalb(.; 1), nearbyint, drem(.; 3)]
[pow(2,3; 1,2)], [atan2(1; 2) | . * 1000 | floor], fma(2; 3; 4), fmin(1; 2), fmax(1; 2), fmod(7; 3)
infinite, -infinite, nan | isinfinite, isnan, isnormal
[nan] | sort, (nan < nan), (nan > nan), ([nan, 1] | min)
infinite, -infinite, nan, [nan]
0 | todate, gmtime, strftime("%A, %B %d, %Y %H:%M:%S %Z %j %U %u"), (gmtime | mktime), (gmtime | todate)
1425599621 | todate, strftime("%Y-%m-%dT%H:%M:%SZ"), strftime("%e %k %I %p %a %b %y %C %G %V %D %F %T %R %n%%"), dateadd("seconds"; 10), date
"2015-03-05T23:51:47Z" | strptime("%Y-%m-%dT%H:%M:%SZ"), fromdate, (strptime("%Y-%m-%dT%H:%M:%SZ") | mktime), fromdateiso8601
"Thu, 05 Mar 2015 23:51:47" | strptime("%a, %d %b %Y %H:%M:%S") | mktime, todate
1e10 | todate, gmtime
[.[]?] | walk(.), ([1,[2]] | walk(if type == "number" then . + 1 else . end)), ({"a":{"b":2}} | walk(if type == "object" then to_entries else . end))
[splits("a")?], (["a","b"] | join(", ")), ([] | join(",")), (["a",1,null,true] | join("-"))
[1,2,3] | until(length < 2; .[1:]), [while(length > 0; .[1:])], (.[0] | [limit(5; repeat(. * 2))])
$ENV.HOME, env.HOME, ($ENV | has("HOME"))
input_line_number, ([limit(0; 1, 2)] | length | . >= 0)
[1,3,5] | bsearch(3), bsearch(0), bsearch(4), bsearch(9)
INDEX({"id":1,"v":2},{"id":2,"v":3}; .id), ([{"id":"a"}] | INDEX(.id))
[.[]?] | isempty(.[]), isempty(1, error("x"))
[splits("x")?] | length
ascii_downcase?, ("ABCé" | ascii_downcase), ("abcé" | ascii_upcase)
"x" as $x | "a" | [., $x] | add
. as [] | 1
[[1,2,3][1:][0], {"a":[5]}.a[0], "abc"[1:2]]
[1,2,3][1], {"a":1}.a, {"a":1}["a"]
1 + 2 * 3 - 4 / 2, (1 + 2) * 3, 10 - 2 - 3, 2 * 3 % 4, -1 + 2, 1 - -1
1, 2 | . + 1
(1, 2) | (., 10)
[1 , 2 | . * 2]
1 as $x | [$x, 2] | map(. + $x)
reduce .[]? as [$a] (0; . + $a)
"abc" | [.[0:1], .[1:]] | add
[1,2] | map(., .) , [.[] , .[]]
{} | .a.b.c, .a[0]?, (.a |= 3), (.a += 1), .["a"]?, has("a")
[] | first, last, min, max, add, .[0], (.[2] = 1), sort, unique, reverse, transpose, flatten
null | .a, .[0], length, (.a = 1), (.[1] = 1), add?, .[1:2], (.a.b |= 1), tojson
# a comment
1 # one
@text "a\(1)", @json "b\("x")"
[.[]?] | tojson | . + "x"
try ("a" | tonumber) catch "no"
try ([1] | implode) catch ., ([97,98] | implode)
[limit(3; 1, 2, 3, 4)], [limit(1; error("x"), 2)?]
input?, 1
[inputs]
[.] | contains([null]), (["a", ["b"]] | contains([["b"]]))
[{"a":1,"b":2},{"a":3}] | map(.b), map(.b // 0), map(has("b")), (map(.a) | add), (.[] | select(.a == 3)), map(del(.a)), map({a}), map(to_entries[] | .key)
[{"t":"2020-01-01","v":3},{"t":"2019-01-01","v":4}] | sort_by(.t)[0].v, (map(select(.v > 3)) | length), max_by(.v).t
{"users":[{"n":"a","age":3},{"n":"b","age":5}]} | .users | map(select(.age > 4).n), (map({(.n): .age}) | add), [.[] | "\(.n)=\(.age)"], (.[0] | keys_unsorted)
[3,1,2] | to_entries | max_by(.value) | .key
[1,2,3,4] | [.[] | select(. % 2 == 0)], (map(tostring) | join(",")), .[1:][:2], [.[:2], .[2:]]
{"a":{"x":1},"b":{"x":2}} | to_entries | map({k: .key, x: .value.x})
{"a":[1,2],"b":[3]} | [to_entries[] | .key as $k | .value[] | {k: $k, v: .}]
[["a",1],["b",2]] | map({(.[0]): .[1]}) | add
def percent(p): . * p / 100; 50 | percent(10)
def count(s): reduce s as $x (0; . + 1); count(range(7))
def zip(a; b): [a, b] | transpose; zip([1,2]; [3,4])
[range(10)] | . as $a | [range(0; length; 3)] | map($a[.:. + 3])
[1,2,3] as [$h] | $h, ([1,2,3] | .[1:] as $t | $t)
"a-b_c" | [splits("[-_]")], gsub("[-_]"; " "), (split("-") | last)
"  x " | sub("^ +"; "") | sub(" +$"; "")
[1, "a", null] | map(type), map(tojson), map(. == null), map(scalars), map(arrays)
tojson, ([] | tojson), ({} | tojson), ("a" | tojson), (1.0 | tojson)
.a."b", ."a"."b"?, ."a"["b"]?, .a."b".c
try error(null) catch .
.[0]?, .["a"]?, (1 | .[0]?), ("x" | .a?), 5
(1 | [.[]?]), [(1,2)?], [(1, error("x"), 3)?]
""".split("\n")
    if line
)

# Programs of the tables that are 1.7's, or better left alone: 1.6 gives something else, or crashes.
OTHERWISE: frozenset[str] = frozenset(
    program
    for program in (*EVERYWHERE, *ONCE)
    if program
    in {
        "reverse", "ascii_downcase", "ascii_upcase", "with_entries(.)", "try error catch .", "@csv", "@tsv", "implode",
        "bsearch(2)", "isnan", "isinfinite", "isnormal", "@base64d", "ascii?", 'path(getpath(["a","b"])?)',
        "with_entries(.value |= tostring)?", "from_entries?", "if null then 1 end", "[1,2,3] | .[1.7], .[-1], .[10]",
        "{a: 1 | . + 1}, {a: -1}", '1 as $x | {$x, y: $x}, {"a":$x}, {$__loc__}', "try error(null) catch .",
    }
    or program.startswith(('"<a href', '[{"key":"a","value":1},{"k"', "1425599621", "[1,2,3] | until(length < 2"))
)  # fmt: skip
