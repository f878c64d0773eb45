NAME        
ROWS
 N  Obj     
 L  r0      
 L  r1      
 L  r2      
COLUMNS
    c0        Obj       -0.75
    c0        r0        0.25
    c0        r1        0.5
    c1        Obj       150
    c1        r0        -60
    c1        r1        -90
    c2        Obj       -0.02
    c2        r0        -0.040000000000000001
    c2        r1        -0.02
    c2        r2        1
    c3        Obj       6
    c3        r0        9
    c3        r1        3
RHS
    RHS_V     r2        1
ENDATA
